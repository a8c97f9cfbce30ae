/** One HTTP attempt, as a person who looks for a fault needs it. It holds no path, token or text of the service. */
export interface PastRequest {
  /** The start: ISO 8601 in UTC. */
  at: string
  method: 'GET' | 'POST'
  /** The name of the operation. */
  operation: string
  /** The HTTP status; null without an answer. */
  status: number | null
  /** The error code; null for a success. */
  code: string | null
  /** Milliseconds from the start to the end. */
  tookMs: number
}

/** The same as it is kept: most times are never read, so they are not formatted before. */
type KeptRequest = Omit<PastRequest, 'at'> & {
  /** Milliseconds since 1970. */
  at: number
}

const maxRequests = 100

/** The latest HTTP attempts of a sign-in, in memory only. */
export class RequestHistory {
  readonly #requests: KeptRequest[] = []

  /** The latest attempts, oldest first. */
  get latest(): readonly PastRequest[] {
    return this.#requests.map((request) => ({ ...request, at: new Date(request.at).toISOString() }))
  }

  add(request: KeptRequest): void {
    this.#requests.push(request)
    if (this.#requests.length > maxRequests) this.#requests.shift()
  }
}
