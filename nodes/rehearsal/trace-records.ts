/** One message of a node of the panel, and how far it came. It has nothing of the message but what kind of news it was. */
export interface Sending {
  /** Milliseconds since the begin. */
  at: number
  /** Id of the node that sent it. */
  node: string
  /** The kind of the alarm that it tells; empty if it tells none, or a threat that nobody may hear of. */
  alarm: string
  /** True if the message has `late`. */
  isLate: boolean
  /** The number of times that each node received it, by id. */
  passes: Map<string, number>
  /** The number of messages that its node has sent at once, with one id: nodes after it may not tell them apart. */
  batch: { size: number }
  /** The ids of the nodes that sent it on. */
  passedBy: Set<string>
}

/** A message that a way out received; times are milliseconds since the begin. */
export interface Arrival {
  sending: Sending
  at: number
  /** Null until it says that it is done. */
  doneAt: number | null
  /** True if an error of the node may be about it. */
  hasFailed: boolean
  /** The words of it that a person reads. */
  text: string
}

/** All that a node received in the rehearsal; times are milliseconds since the begin. */
export interface Visit {
  firstAt: number
  received: number
  /** The number of messages that it has not finished yet; 0 for a node that never says when it is done. */
  open: number
  /** True if the node says when it is done. */
  saysDone: boolean
  /** The time of the oldest message that it may not have finished. */
  openSince: number
  /** The time at which it was done first; null if it never was, or never says so. */
  doneAt: number | null
  /** The longest time that it took for a message. */
  longest: number
  /** The messages of the scene that it received, as far as it is a way out. */
  arrivals: Arrival[]
  /** True if it received a message of the scene, and not only the states that are told before. */
  isOfScene: boolean
}

/** An error of a node in the rehearsal. */
export interface TracedError {
  node: string
  at: number
  /** On one line, without addresses, which can contain a secret. */
  text: string
  /** Such as `TypeError`; empty if the error is a text. */
  name: string
  isCaught: boolean
}

/** A Catch node that got an error. */
export interface Caught {
  node: string
  source: string
  at: number
}
