package serve

import (
	"net"
	"net/http"
	"sync"
)

// clients tracks what each client uses, by its address, so that one client leaves room for others:
// anybody who reaches the port may send reviews.
type clients struct {
	lock        sync.Mutex
	held        map[string]*holding
	connections int
	bytes       int64
}

// holding is what one client uses.
type holding struct {
	connections, reviews int
	bytes                int64
}

func newClients() *clients { return &clients{held: map[string]*holding{}} }

// hold changes a client's use if allowed, and reports whether it was.
func (c *clients) hold(client string, change func(h *holding) bool) bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	h := c.held[client]
	if h == nil {
		h = &holding{}
		c.held[client] = h
	}
	ok := change(h)
	if *h == (holding{}) {
		delete(c.held, client)
	}
	return ok
}

// connect counts a client's connection.
func (c *clients) connect(client string, l Limits) bool {
	return c.hold(client, func(h *holding) bool {
		if c.connections >= l.All || h.connections >= l.Connections {
			return false
		}
		c.connections++
		h.connections++
		return true
	})
}

func (c *clients) disconnect(client string) {
	c.hold(client, func(h *holding) bool {
		c.connections--
		h.connections--
		return true
	})
}

// receive counts a pending review's bytes. A client may use a quarter of the total.
func (c *clients) receive(client string, n int64, l Limits) bool {
	return c.hold(client, func(h *holding) bool {
		if n > 0 && (c.bytes+n > l.Received || h.bytes+n > l.Received/4) {
			return false
		}
		c.bytes += n
		h.bytes += n
		return true
	})
}

// evaluate counts a client's review in evaluation. A client must leave a quarter of the places to
// others.
func (c *clients) evaluate(client string, l Limits) bool {
	return c.hold(client, func(h *holding) bool {
		if h.reviews >= max(l.Concurrent-l.Concurrent/4, 1) {
			return false
		}
		h.reviews++
		return true
	})
}

func (c *clients) evaluated(client string) {
	c.hold(client, func(h *holding) bool {
		h.reviews--
		return true
	})
}

// address returns a client's address without its port.
func address(remote string) string {
	if host, _, err := net.SplitHostPort(remote); err == nil {
		return host
	}
	return remote
}

func clientOf(r *http.Request) string { return address(r.RemoteAddr) }

// bounded is a listener that closes excess connections. It implements net.Listener.
type bounded struct {
	net.Listener
	clients *clients
	limits  Limits
}

func (b *bounded) Accept() (net.Conn, error) {
	for {
		connection, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		client := address(connection.RemoteAddr().String())
		if b.clients.connect(client, b.limits) {
			return &counted{Conn: connection, done: func() { b.clients.disconnect(client) }}, nil
		}
		if err := connection.Close(); err != nil {
			continue // already closed
		}
	}
}

// counted is a connection that counts until it is closed. It implements net.Conn.
type counted struct {
	net.Conn
	once sync.Once
	done func()
}

func (c *counted) Close() error {
	c.once.Do(c.done)
	return c.Conn.Close()
}
