// The library makes the puzzle of the day from the date; this file has the date.

/** Today as the library reads it: 20261116. */
export function today(date = new Date()) {
  return date.getFullYear() * 10_000 + (date.getMonth() + 1) * 100 + date.getDate();
}

/** A day in words. */
export function dayName(day) {
  const date = new Date(Math.floor(day / 10_000), (Math.floor(day / 100) % 100) - 1, day % 100);
  return date.toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" });
}
