package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	content, err := Run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	text, err := json.Marshal(content)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error: what Run returned cannot be written as JSON:", err)
		os.Exit(1)
	}
	fmt.Printf("%s\n%s\n", "ANNOUNCED", text)
}
