"""Long jobs in pieces. Between two of them Python runs signal handlers, and no thread is at work.

A job is a row of words, two of which say how many chunks there are and which one comes next.
Threads take chunks until there are none; so a piece of a job is the job with fewer chunks.
"""

import time

PIECE = 0.1  # seconds
PIECE_WORK = 50_000_000  # flops of a thread, or numbers that it moves: at most about a piece


def run_in_pieces(run, words, chunks, next_chunk, work, threads):
    """Call `run()` until all chunks are done; `work` is that of one chunk."""
    total, piece = words[chunks], max(1, threads * PIECE_WORK // max(work, 1))
    words[next_chunk] = 0
    if total <= piece:
        run()
        return
    done = 0
    while done < total:
        begin = time.monotonic()
        words[chunks], words[next_chunk] = min(total, done + piece), done
        run()
        done = words[chunks]
        if time.monotonic() - begin < PIECE / 2:
            piece *= 2
