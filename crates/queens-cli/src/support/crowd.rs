//! A limited number of connections, in which nobody can take all places and sit still.
//!
//! A client that connects and says nothing keeps its place for as long as the server has
//! patience. Some hundred of them would keep everybody else out, so when all places are taken
//! the client that has been there longest gives way. An honest request is answered in
//! milliseconds and hardly ever the oldest.

use std::collections::VecDeque;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// The connections that are being served.
pub struct Crowd {
    most: usize,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    last: u64,
    streams: VecDeque<(u64, TcpStream)>,
}

impl Crowd {
    /// Room for `most` connections.
    pub fn new(most: usize) -> Arc<Crowd> {
        let inside = Mutex::default();
        Arc::new(Crowd { most, inside })
    }

    /// Gives a connection a place; the oldest one loses its own if there is none left.
    pub fn enter(self: &Arc<Crowd>, stream: &TcpStream) -> io::Result<Place> {
        let stream = stream.try_clone()?;
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        while inside.streams.len() >= self.most {
            if let Some((_, oldest)) = inside.streams.pop_front() {
                // The thread that serves it fails at its next read or write, and ends.
                let _ = oldest.shutdown(Shutdown::Both);
            }
        }
        inside.last += 1;
        let number = inside.last;
        inside.streams.push_back((number, stream));
        Ok(Place {
            crowd: Arc::clone(self),
            number,
        })
    }
}

/// A place among the connections, given back when it is dropped.
pub struct Place {
    crowd: Arc<Crowd>,
    number: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        let inside = self.crowd.inside.lock();
        let mut inside = inside.unwrap_or_else(PoisonError::into_inner);
        inside.streams.retain(|(number, _)| *number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    /// A server that answers one byte with another, with eight places.
    fn serve() -> std::net::SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let crowd = Crowd::new(8);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let place = crowd.enter(&stream).unwrap();
                std::thread::spawn(move || {
                    let _place = place;
                    let mut byte = [0];
                    if stream.read_exact(&mut byte).is_ok() {
                        let _ = stream.write_all(&byte);
                    }
                });
            }
        });
        address
    }

    #[test]
    fn those_who_sit_still_do_not_keep_others_out() {
        let address = serve();
        let idle: Vec<TcpStream> = (0..100)
            .map(|_| TcpStream::connect(address).unwrap())
            .collect();
        for _ in 0..60 {
            let mut honest = TcpStream::connect(address).unwrap();
            honest.write_all(b"x").unwrap();
            let mut answer = [0];
            honest.read_exact(&mut answer).unwrap();
            assert_eq!(&answer, b"x");
        }
        // The oldest gave way.
        let mut first = &idle[0];
        assert_eq!(first.read(&mut [0]).unwrap_or(0), 0);
    }
}
