// Godemo writes the CPU profile and the heap profile of a small Go program with runtime/pprof.
//
// The CPU profile carries labels: each worker runs under pprof.Do with "job" and "size", one of them also with a
// nested "phase". The heap profile has four sample types (alloc_objects, alloc_space, inuse_objects, inuse_space) and a
// numeric label "bytes".
//
// Build: go build -o godemo godemo.go
// Run:   ./godemo cpu.pb.gz heap.pb.gz
package main

import (
	"context"
	"log"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

var sink int

var kept [][]byte // what the heap profile shows as in use

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func recurse(ctx context.Context) {
	sink += fib(25)
}

func sortNumbers(ctx context.Context) {
	numbers := make([]int, 20000)
	pprof.Do(ctx, pprof.Labels("phase", "fill"), func(context.Context) {
		for i := range numbers {
			numbers[i] = i * 7919 % 20011
		}
	})
	pprof.Do(ctx, pprof.Labels("phase", "sort"), func(context.Context) {
		sort.Slice(numbers, func(i, j int) bool { return numbers[i] < numbers[j] })
	})
}

func buildText(ctx context.Context) {
	var text strings.Builder
	for i := 0; i < 5000; i++ {
		text.WriteString(strconv.Itoa(i))
	}
	kept = append(kept, []byte(text.String())[:1024])
}

func run(job string, size int, until time.Time, work func(context.Context), done *sync.WaitGroup) {
	defer done.Done()
	labels := pprof.Labels("job", job, "size", strconv.Itoa(size))
	pprof.Do(context.Background(), labels, func(ctx context.Context) {
		for time.Now().Before(until) {
			work(ctx)
		}
	})
}

func create(name string) *os.File {
	file, err := os.Create(name)
	if err != nil {
		log.Fatal(err)
	}
	return file
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: godemo CPU-PROFILE HEAP-PROFILE")
	}
	runtime.MemProfileRate = 64 * 1024
	cpu := create(os.Args[1])
	if err := pprof.StartCPUProfile(cpu); err != nil {
		log.Fatal(err)
	}
	var done sync.WaitGroup
	done.Add(3)
	until := time.Now().Add(700 * time.Millisecond)
	go run("fib", 25, until, recurse, &done)
	go run("sort", 20000, until, sortNumbers, &done)
	go run("text", 5000, until, buildText, &done)
	done.Wait()
	pprof.StopCPUProfile()
	if err := cpu.Close(); err != nil {
		log.Fatal(err)
	}

	heap := create(os.Args[2])
	runtime.GC()
	if err := pprof.WriteHeapProfile(heap); err != nil {
		log.Fatal(err)
	}
	if err := heap.Close(); err != nil {
		log.Fatal(err)
	}
}
