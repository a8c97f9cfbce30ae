/** One HTTP attempt; never a header, a body or a query, which may hold secrets. */
export interface LoggedRequest {
  /** Monotonic milliseconds of the clock. */
  readonly at: number
  readonly method: string
  /** Without query, cut at 200 characters. */
  readonly path: string
  /** 0 while it is not answered. */
  readonly status: number
}

/** Every HTTP attempt that reached the simulator, the newest so many. */
export class RequestLog {
  readonly #limit: number
  readonly #requests: { at: number; method: string; path: string; status: number }[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The attempts, oldest first. */
  get requests(): readonly LoggedRequest[] {
    return this.#requests
  }

  /** Notes an attempt; the answer notes its status later. */
  note(at: number, method: string, path: string): (status: number) => void {
    const request = { at, method, path: path.slice(0, 200), status: 0 }
    this.#requests.push(request)
    if (this.#requests.length > this.#limit) this.#requests.shift()
    return (status) => {
      request.status = status
    }
  }
}
