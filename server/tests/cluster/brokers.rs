//! Brokers on loopback, with the configuration that operators are told to install. Workers may do what it grants them, and
//! nothing else.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use jobs::cluster::Broker;

use super::network::Network;

/// A process that ends with the test.
pub struct Process(pub Child);

impl Process {
    pub fn kill(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The configuration that docs/operating.md tells operators to install.
pub const DOCUMENTED: &str = include_str!("../../../docs/operating/nats-server.conf");

/// [`DOCUMENTED`] for a broker of this test. `replacements` are texts of it with what stands there instead.
fn config(replacements: &[(&str, String)]) -> String {
    replacements.iter().fold(DOCUMENTED.to_owned(), |config, (text, instead)| {
        assert!(config.contains(text), "{text}");
        config.replace(text, instead)
    })
}

/// Adds a user of workers as the configuration says: a copy of the block with another name.
fn with_other(config: &str) -> String {
    let (before, rest) = config.split_once("    {\n      user: worker").unwrap();
    let (block, after) = rest.split_once("\n    }\n  ]").unwrap();
    let block = format!("    {{\n      user: worker{block}\n    }}\n");
    assert_eq!(block.matches("worker").count(), 3, "{block}");
    format!("{before}{block}{}  ]{after}", block.replace("worker", "other"))
}

/// Brokers with the users `server`, `worker` and `other`, whose password is `test`. `other` is a second user of workers.
pub struct Brokers {
    folder: PathBuf,
    program: PathBuf,
    nodes: Vec<Option<Process>>,
    pub ports: Vec<u16>,
    /// The ways between the last broker and the others.
    pub last: Network,
}

impl Brokers {
    /// Starts `count` brokers, with `more` at the end of their configuration.
    pub fn start(folder: &Path, program: PathBuf, count: usize, more: &str) -> Brokers {
        // Held until all are known, so that they differ.
        let free: Vec<_> = (0..2 * count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports: Vec<u16> = free.iter().map(|listener| listener.local_addr().unwrap().port()).collect();
        drop(free);
        let (ports, routes) = ports.split_at(count);
        let last = Network::default();
        let proxies: Vec<u16> = routes.iter().map(|port| last.to(*port)).collect();
        for at in 0..count {
            let way = |to: usize| if to.max(at) == count - 1 { proxies[to] } else { routes[to] };
            let mut replacements = vec![
                ("server_name: n1", format!("server_name: n{at}\nping_interval: \"2s\"\n{more}")),
                ("0.0.0.0:4222", format!("127.0.0.1:{}", ports[at])),
                ("/var/lib/nats", folder.join(format!("store{at}")).display().to_string()),
                // Brokers tell each other and their clients of further ways to a broker: of none around a proxy.
                (
                    "0.0.0.0:6222\"",
                    format!("127.0.0.1:{}\", advertise: \"127.0.0.1:{}\", no_advertise: true", routes[at], proxies[at]),
                ),
                ("SERVER_PASSWORD", "test".to_owned()),
                ("WORKER_PASSWORD", "test".to_owned()),
            ];
            let names = ["@n1:6222", "@n2:6222", "@n3:6222"];
            let others = names.iter().enumerate().map(|(to, name)| (*name, format!("@127.0.0.1:{}", way(to % count))));
            replacements.extend(others);
            let mut config = with_other(&config(&replacements));
            if count == 1 {
                let (before, cluster) = config.split_once("cluster {").unwrap();
                config = format!("{before}{}", cluster.split_once("\n}\n").unwrap().1);
            }
            fs::write(folder.join(format!("n{at}.conf")), config).unwrap();
        }
        let nodes = (0..count).map(|_| None).collect();
        let mut brokers = Brokers { folder: folder.to_path_buf(), program, nodes, ports: ports.to_vec(), last };
        (0..count).for_each(|at| brokers.restart(at));
        brokers
    }

    pub fn restart(&mut self, at: usize) {
        self.nodes[at] = None;
        let log = fs::File::options().create(true).append(true).open(self.folder.join(format!("n{at}.log"))).unwrap();
        let mut command = Command::new(&self.program);
        command.arg("-c").arg(self.folder.join(format!("n{at}.conf"))).stdout(Stdio::null()).stderr(log);
        self.nodes[at] = Some(Process(command.spawn().unwrap()));
    }

    pub fn kill(&mut self, at: usize) {
        self.nodes[at] = None;
    }

    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The addresses for a user.
    pub fn url(&self, user: &str) -> String {
        url("nats", user, &self.ports)
    }

    /// The same, as the library takes it.
    pub fn broker(&self, user: &str) -> Broker {
        Broker { url: self.url(user), credentials: None, ca: None, certificate: None }
    }

    /// The addresses through a network that can be cut.
    pub fn url_through(&self, network: &Network, user: &str) -> String {
        url("nats", user, &self.ports.iter().map(|port| network.to(*port)).collect::<Vec<_>>())
    }
}

fn url(scheme: &str, user: &str, ports: &[u16]) -> String {
    let each = ports.iter().map(|port| format!("{scheme}://{user}:test@127.0.0.1:{port}"));
    each.collect::<Vec<_>>().join(",")
}
