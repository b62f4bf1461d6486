package agents

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// draining is a transport that reports the end of its input only once all calls are answered: a client may close the
// input and then wait for the answers.
type draining struct{ mcp.Transport }

func (d draining) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := d.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &drainingConnection{Connection: c, closed: make(chan struct{}), open: map[any]bool{}, answered: make(chan struct{}, 1)}, nil
}

type drainingConnection struct {
	mcp.Connection
	close    sync.Once
	closed   chan struct{}
	mutex    sync.Mutex
	open     map[any]bool // the IDs of calls without an answer
	answered chan struct{}
}

func (c *drainingConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if err != nil {
		c.wait(ctx)
		return nil, err
	}
	if call, ok := message.(*jsonrpc.Request); ok && call.IsCall() {
		c.mutex.Lock()
		c.open[call.ID.Raw()] = true
		c.mutex.Unlock()
	}
	return message, nil
}

// wait returns when no call is open, and at the latest after the time that a call may take.
func (c *drainingConnection) wait(ctx context.Context) {
	late := time.After(callTime)
	for {
		c.mutex.Lock()
		left := len(c.open)
		c.mutex.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-c.answered:
		case <-c.closed:
			return
		case <-ctx.Done():
			return
		case <-late:
			return
		}
	}
}

func (c *drainingConnection) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if answer, ok := message.(*jsonrpc.Response); ok {
		c.mutex.Lock()
		delete(c.open, answer.ID.Raw())
		c.mutex.Unlock()
		select {
		case c.answered <- struct{}{}:
		default: // the reader looks again anyway
		}
	}
	return err
}

func (c *drainingConnection) Close() error {
	c.close.Do(func() { close(c.closed) })
	return c.Connection.Close()
}
