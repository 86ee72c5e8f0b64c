package interlock

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
)

type command = exec.Cmd

// A Cmd is the library's, which asks when it starts: what it is told until then may still change.
type Cmd struct{ *command }

func Command(name string, arguments ...string) *Cmd {
	return &Cmd{exec.Command(name, arguments...)}
}

func CommandContext(ctx context.Context, name string, arguments ...string) *Cmd {
	return &Cmd{exec.CommandContext(ctx, name, arguments...)}
}

func (c *Cmd) Start() error {
	if c.Err == nil {
		if err := c.asked(); err != nil {
			return err
		}
	}
	return c.command.Start()
}

func (c *Cmd) asked() error {
	path := c.Path
	if c.Dir != "" && path != "" && path[0] != '/' {
		path = c.Dir + "/" + path
	}
	target, err := real(path, true)
	operation, arguments := "exec", append([]string{target}, c.Args...)
	if err == nil && c.Dir != "" {
		folder := ""
		folder, err = real(c.Dir, true)
		operation, arguments = "exec-in", append([]string{folder}, arguments...)
	}
	if err == nil {
		_, err = ask(operation, "exec.Command", c.Path, arguments...)
	}
	return failed("exec.Command", c.Path, err)
}

func (c *Cmd) Run() error {
	if err := c.Start(); err != nil {
		return err
	}
	return c.Wait()
}

func (c *Cmd) Output() ([]byte, error) {
	if c.Stdout != nil {
		return nil, errors.New("exec: Stdout already set")
	}
	var out, said bytes.Buffer
	c.Stdout = &out
	quiet := c.Stderr == nil
	if quiet {
		c.Stderr = &said
	}
	err := c.Run()
	var exit *exec.ExitError
	if quiet && errors.As(err, &exit) {
		exit.Stderr = said.Bytes()
	}
	return out.Bytes(), err
}

func (c *Cmd) CombinedOutput() ([]byte, error) {
	if c.Stdout != nil || c.Stderr != nil {
		return nil, errors.New("exec: Stdout or Stderr already set")
	}
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	return out.Bytes(), err
}
