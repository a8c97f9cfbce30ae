/** One HTTP request, without headers, body and query because they can contain secrets. */
export interface LoggedRequest {
  /** Milliseconds of the monotonic clock. */
  readonly at: number
  readonly method: string
  /** Without query, truncated to 200 characters. */
  readonly path: string
  /** 0 until the response is sent. */
  readonly status: number
}

/** The newest HTTP requests that reached the simulator, up to a limit. */
export class RequestLog {
  readonly #limit: number
  readonly #requests: { at: number; method: string; path: string; status: number }[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The requests, oldest first. */
  get requests(): readonly LoggedRequest[] {
    return this.#requests
  }

  /** Adds a request; the returned function sets its status later. */
  add(at: number, method: string, path: string): (status: number) => void {
    const request = { at, method, path: path.slice(0, 200), status: 0 }
    this.#requests.push(request)
    if (this.#requests.length > this.#limit) this.#requests.shift()
    return (status) => {
      request.status = status
    }
  }
}
