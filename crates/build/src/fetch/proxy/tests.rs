use std::net::SocketAddr;

use super::*;

/// Answers one connection in a thread that returns the first bytes received.
fn echo_once() -> (Authority, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = Authority::new("127.0.0.1", listener.local_addr().unwrap().port());
    let thread = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nhello").unwrap();
        String::from_utf8_lossy(&buffer[..read]).into_owned()
    });
    (host, thread)
}

struct TestProxy {
    proxy: Arc<Proxy>,
    address: SocketAddr,
    _service: ProxyService,
}

fn serve_hosts(hosts: &[&Authority], routes: Routes) -> TestProxy {
    let hosts = hosts.iter().map(|host| (*host).clone()).collect();
    let proxy = Proxy::new(Admission::Only(hosts), routes);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let service = proxy.serve(listener);
    TestProxy { proxy, address, _service: service }
}

/// Sends a request and reads to the end.
fn send_request(serving: &TestProxy, request: &str) -> String {
    let mut stream = TcpStream::connect(serving.address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    // A connection may be reset where the request was too long.
    let _ = stream.read_to_string(&mut answer);
    answer
}

#[test]
fn plain_requests_go_to_admitted_hosts_with_the_organiser_s_password() {
    let (host, server) = echo_once();
    let mut routes = Routes::default();
    routes.add_password(host.clone(), "/simple/", "ada:secret");
    let serving = serve_hosts(&[&host], routes);
    let request = format!(
        "GET http://{host}/simple/?x HTTP/1.1\r\nHost: other.example\r\nAccept: */*\r\n\
         Authorization: Basic own\r\nX-HTTP-Method-Override: DELETE\r\nX-Forwarded-User: root\r\n\
         Transfer-Encoding: chunked\r\nProxy-Connection: keep-alive\r\n\r\n"
    );
    assert!(send_request(&serving, &request).ends_with("hello"));
    let expected = format!(
        "GET /simple/?x HTTP/1.1\r\nHost: {host}\r\nAccept: */*\r\n\
         Authorization: Basic YWRhOnNlY3JldA==\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(server.join().unwrap(), expected);
}

#[test]
fn nothing_is_sent_with_the_organiser_s_password_but_the_head_of_one_request_that_reads() {
    let (host, server) = echo_once();
    let mut routes = Routes::default();
    routes.add_password(host.clone(), "/simple/", "ada:secret");
    let serving = serve_hosts(&[&host], routes);
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get", "connect"] {
        let request = format!("{method} http://{host}/x HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
        let answer = send_request(&serving, &request);
        assert!(answer.starts_with("HTTP/1.1 405 "), "{method}: {answer}");
    }
    let first = format!("GET http://{host}/x HTTP/1.1\r\nContent-Length: 44\r\n\r\n");
    let second = format!("DELETE http://{host}/private HTTP/1.1\r\n\r\n");
    assert!(send_request(&serving, &(first + &second)).ends_with("hello"));
    let sent = server.join().unwrap();
    assert!(sent.starts_with("GET /x HTTP/1.1\r\n") && !sent.contains("DELETE"), "{sent}");
}

#[test]
fn other_hosts_and_ports_are_refused_and_remembered() {
    let (host, _server) = echo_once();
    let serving = serve_hosts(&[&host], Routes::default());
    for request in [
        "GET http://other.example/ HTTP/1.1\r\n\r\n",
        "CONNECT 169.254.169.254:80 HTTP/1.1\r\n\r\n",
        "CONNECT localhost:1 HTTP/1.1\r\n\r\n",
        "CONNECT [::1]:443 HTTP/1.1\r\n\r\n",
    ] {
        assert!(send_request(&serving, request).starts_with("HTTP/1.1 403 "), "{request}");
    }
    let refused: Vec<String> =
        serving.proxy.activity().refused.iter().map(ToString::to_string).collect();
    let expected = ["169.254.169.254:80", "[::1]:443", "localhost:1", "other.example:80"];
    assert_eq!(refused, expected);
    assert!(serving.proxy.activity().asked.is_empty());
}

#[test]
fn malformed_requests_are_refused() {
    let serving = serve_hosts(&[], Routes::default());
    let headers = "x: y\r\n".repeat(200);
    for request in [
        "hello\r\n\r\n".to_owned(),
        "GET /x HTTP/1.1\r\n\r\n".to_owned(),
        "GET https://a.example/ HTTP/1.1\r\n\r\n".to_owned(),
        "CONNECT a.example HTTP/1.1\r\n\r\n".to_owned(),
        format!("GET http://a.example/ HTTP/1.1\r\n{headers}\r\n"),
    ] {
        let answer = send_request(&serving, &request);
        assert!(answer.starts_with("HTTP/1.1 400 "), "{request:.40}: {answer}");
    }
    assert_eq!(send_request(&serving, &"x".repeat(100 << 10)), "");
}

#[test]
fn a_tunnel_leads_to_its_host_and_an_unreachable_host_is_reported() {
    let (host, server) = echo_once();
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let gone = Authority::new("127.0.0.1", gone);
    let serving = serve_hosts(&[&host, &gone], Routes::default());
    let answer = send_request(&serving, &format!("CONNECT {host} HTTP/1.1\r\n\r\nsecret words"));
    assert!(answer.starts_with("HTTP/1.1 200 Connection established\r\n\r\n"), "{answer}");
    assert_eq!(server.join().unwrap(), "secret words");
    assert_eq!(serving.proxy.activity().unreachable, None);
    let answer = send_request(&serving, &format!("CONNECT {gone} HTTP/1.1\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    let told = serving.proxy.activity().unreachable.unwrap();
    assert!(told.starts_with(&format!("`{gone}` cannot be reached: ")), "{told}");
}

/// Reader that gives one byte at a time.
struct ByteByByte<'a>(&'a [u8]);

impl Read for ByteByByte<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&mut self.0).take(1).read(buffer)
    }
}

#[test]
fn a_head_may_come_in_pieces() {
    let request = b"GET http://registry.example/x HTTP/1.1\r\n\r\nbehind";
    let (head, rest) = read_head(&mut ByteByByte(request)).unwrap();
    assert_eq!((&*head, &*rest), (&request[..request.len() - 6], &b""[..]));
    let (head, rest) = read_head(&mut &request[..]).unwrap();
    assert_eq!((&*head, &*rest), (&request[..request.len() - 6], &b"behind"[..]));
    let endless = vec![b'x'; 2 * LONGEST_HEAD];
    assert!(read_head(&mut ByteByByte(&endless)).is_err());
    assert!(read_head(&mut ByteByByte(b"GET / HTTP/1.1\r\n")).is_err());
}

#[test]
fn the_organiser_s_proxy_is_asked_for_plain_requests() {
    let (upstream, server) = echo_once();
    let routes = Routes::of_variables(|name| {
        (name == "HTTP_PROXY").then(|| format!("http://ada:secret@{upstream}"))
    });
    let host = Authority::new("registry.example", 80);
    let serving = serve_hosts(&[&host], routes);
    let answer = send_request(&serving, "GET http://Registry.Example.:80/x HTTP/1.1\r\n\r\n");
    assert!(answer.ends_with("hello"), "{answer}");
    let sent = server.join().unwrap();
    assert!(sent.starts_with("GET http://registry.example/x HTTP/1.1\r\n"), "{sent}");
    assert!(sent.contains("Proxy-Authorization: Basic YWRhOnNlY3JldA==\r\n"), "{sent}");
}
