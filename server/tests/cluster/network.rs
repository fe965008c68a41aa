//! A network that the test can cut: proxies on loopback, all with one switch.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex},
    thread,
};

/// The way from one party to others.
#[derive(Clone, Default)]
pub struct Network(Arc<Switch>);

#[derive(Default)]
struct Switch {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_cut: bool,
    /// Connections that were begun since the network was cut.
    begun: usize,
}

impl Network {
    /// A proxy for a port. Returns its own.
    pub fn to(&self, port: u16) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap().port();
        let switch = Arc::clone(&self.0);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (near, switch) = (stream.unwrap(), Arc::clone(&switch));
                thread::spawn(move || switch.connect(near, port));
            }
        });
        own
    }

    /// From now on, nothing arrives. Connections stay open, as they do when a cable is pulled.
    pub fn cut(&self) {
        *self.0.state.lock().unwrap() = State { is_cut: true, begun: 0 };
    }

    /// Whether somebody has noticed the cut, and tries to connect again.
    pub fn is_noticed(&self) -> bool {
        self.0.state.lock().unwrap().begun > 0
    }

    /// What was sent meanwhile arrives, as far as both sides still wait for it.
    pub fn restore(&self) {
        self.0.state.lock().unwrap().is_cut = false;
        self.0.changed.notify_all();
    }
}

impl Switch {
    fn wait(&self) {
        let _open = self.changed.wait_while(self.state.lock().unwrap(), |state| state.is_cut).unwrap();
    }

    fn connect(&self, near: TcpStream, port: u16) {
        self.state.lock().unwrap().begun += 1;
        self.wait();
        // The other side may have been killed.
        let Ok(far) = TcpStream::connect(("127.0.0.1", port)) else { return };
        thread::scope(|scope| {
            scope.spawn(|| self.forward(&near, &far));
            self.forward(&far, &near);
        });
    }

    /// Forwards until one side ends the connection.
    fn forward(&self, mut from: &TcpStream, mut to: &TcpStream) {
        let mut buffer = vec![0; 1 << 16];
        let mut step = || -> io::Result<usize> {
            let count = from.read(&mut buffer)?;
            self.wait();
            to.write_all(&buffer[..count])?;
            Ok(count)
        };
        while step().is_ok_and(|count| count > 0) {}
        for side in [from, to] {
            // It may be closed already.
            let _ = side.shutdown(Shutdown::Both);
        }
    }
}
