// Pictures to take away: boards painted on a canvas, as PNG, as a film, as a card.
//
// A canvas knows nothing of the style sheet, so the colours are read from it once. The
// queen is the library's drawing, taken from the picture it makes of a board of one square.

import { download, el, plural } from "./dom.js";

let queens = null;

/** The queen as an image, in two colours. */
async function queenImages() {
  if (queens) return queens;
  const symbol = document.getElementById("queen");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const make = async (fill, edge) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1" width="256" height="256"><g fill="${fill}" stroke="${edge}" stroke-width="0.03">${symbol.innerHTML}</g></svg>`;
    const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    const image = new Image();
    image.src = url;
    await image.decode();
    return image;
  };
  queens = { plain: await make(colour("--print-queen"), "#ffffff"), culprit: await make(colour("--print-attack"), "#ffffff") };
  return queens;
}

/** Paints a board of `n` with the looks of its squares into a square of a canvas. */
async function paintBoard(context, { n, cells, attack = null, x, y, size, origin = null }) {
  const { plain, culprit } = await queenImages();
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const edge = origin === null ? 0 : size / (2 * n + 2);
  const unit = (size - edge) / n;
  const [left, top] = [x + edge, y + edge];
  for (let row = 0; row < n; row++) {
    for (let col = 0; col < n; col++) {
      context.fillStyle = colour((row + col) % 2 ? "--print-dark" : "--print-light");
      context.fillRect(left + col * unit, top + row * unit, unit + 0.5, unit + 0.5);
      const cell = cells[row * n + col];
      if (cell === "a" || cell === "R") {
        context.strokeStyle = colour(cell === "R" ? "--print-attack" : "--print-hatch");
        context.lineWidth = unit * (cell === "R" ? 0.08 : 0.03);
        context.beginPath();
        for (const [from, to] of cell === "R" ? [[0.25, 0.75], [0.75, 0.25]] : [[0.2, 0.8]]) {
          context.moveTo(left + (col + from) * unit, top + (row + 0.25) * unit);
          context.lineTo(left + (col + to) * unit, top + (row + 0.75) * unit);
        }
        context.stroke();
      }
    }
  }
  if (attack) {
    context.strokeStyle = colour("--print-attack");
    context.lineWidth = unit * 0.1;
    context.beginPath();
    context.moveTo(left + (attack.first[1] + 0.5) * unit, top + (attack.first[0] + 0.5) * unit);
    context.lineTo(left + (attack.second[1] + 0.5) * unit, top + (attack.second[0] + 0.5) * unit);
    context.stroke();
  }
  [...cells].forEach((cell, at) => {
    if (cell !== "Q" && cell !== "C") return;
    context.drawImage(cell === "C" ? culprit : plain, left + (at % n) * unit, top + Math.floor(at / n) * unit, unit, unit);
  });
  context.strokeStyle = colour("--print-soft");
  context.lineWidth = 2;
  context.strokeRect(left, top, unit * n, unit * n);
  if (origin === null) return;
  context.fillStyle = colour("--print-soft");
  context.font = `${edge * 0.55}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let k = 0; k < n; k++) {
    context.fillText(String(k + origin), left + (k + 0.5) * unit, y + edge / 2);
    context.fillText(String(k + origin), x + edge / 2, top + (k + 0.5) * unit);
  }
}

const WIDE = 800;
/** The walk tells its reasons, so its pictures have room for a long sentence. */
const highOf = ({ style }) => (style === "steps" ? 980 : 880);

/** The lines of a sentence that are no longer than `most`, in the letters of the context. */
function linesOf(context, text, most) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (context.measureText(longer).width <= most || lines.at(-1) === "") lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Paints a moment of Watch: the board and its sentence. */
async function paintMoment(canvas, moment, origin) {
  const context = canvas.getContext("2d");
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  await paintBoard(context, { ...moment, x: 20, y: 20, size: WIDE - 40, origin });
  context.fillStyle = "#17212b";
  context.textAlign = "center";
  context.textBaseline = "middle";
  // As large as it can be below the board.
  const place = canvas.height - WIDE;
  let size = 25;
  let lines;
  do {
    size -= 1;
    context.font = `${size}px system-ui, sans-serif`;
    lines = linesOf(context, moment.says, WIDE - 40);
  } while (lines.length * size * 1.3 > place && size > 12);
  const first = canvas.height - 10 - place / 2 - ((lines.length - 1) / 2) * size * 1.3;
  lines.forEach((line, at) => context.fillText(line, WIDE / 2, first + at * size * 1.3));
}

const canvasOf = (width, height) => el("canvas", { width, height });
const blobOf = (canvas) => new Promise((resolve) => canvas.toBlob(resolve, "image/png"));

/** Saves the moment on show as a PNG. */
export async function savePicture(moment, origin, say) {
  const canvas = canvasOf(WIDE, highOf(moment));
  await paintMoment(canvas, moment, origin);
  const name = `queens-${moment.n}-${moment.style}-${moment.at}.png`;
  download(name, await blobOf(canvas), "image/png");
  say(`${name} is saved.`);
}

/** The most steps of a film, and its frames per second at most. */
const MOST_STEPS = 120;

/** Saves the next steps as a film, played at the speed chosen; a WebM where the browser can. */
export async function saveFilm(clerk, player, say) {
  const type = ["video/webm", "video/mp4"].find((type) => globalThis.MediaRecorder?.isTypeSupported(type));
  if (!type) {
    say("This browser cannot make films; the picture can be saved.");
    return;
  }
  const { moment, values } = player;
  const last = Math.min(moment.length, moment.at + MOST_STEPS);
  if (last === moment.at) return say("No step follows that a film could show.");
  const canvas = canvasOf(WIDE, highOf(moment));
  await paintMoment(canvas, moment, values.origin);
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 4_000_000 });
  const pieces = [];
  recorder.ondataavailable = ({ data }) => pieces.push(data);
  const done = new Promise((resolve) => { recorder.onstop = resolve; });
  recorder.start();
  const pace = Math.max(1000 / 15, 1000 / player.pace);
  say(`Recording ${plural(last - moment.at, "step")} …`);
  for (let at = moment.at; at <= last; at++) {
    await paintMoment(canvas, await clerk.ask("watch", { ...values, at }), values.origin);
    await new Promise((resolve) => setTimeout(resolve, pace));
  }
  recorder.stop();
  await done;
  const name = `queens-${moment.n}-${moment.style}.${type.split("/")[1]}`;
  download(name, new Blob(pieces, { type }), type);
  say(`${name} is saved.`);
}

/** A card to share: the board, and a few words beside it. */
export async function card({ n, queens, lines }) {
  const canvas = canvasOf(1200, 630);
  const context = canvas.getContext("2d");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  context.fillStyle = colour("--print-paper");
  context.fillRect(0, 0, 1200, 630);
  const cells = Array(n * n).fill(".");
  for (const [row, col] of queens) cells[row * n + col] = "Q";
  await paintBoard(context, { n, cells, x: 45, y: 45, size: 540 });
  context.fillStyle = colour("--print-queen");
  context.textBaseline = "alphabetic";
  lines.forEach((line, at) => {
    context.font = `${at === 0 ? "600 64px Georgia, ui-serif, serif" : "32px system-ui, sans-serif"}`;
    context.fillText(line, 640, at === 0 ? 200 : 240 + at * 52, 520);
  });
  return blobOf(canvas);
}
