/** An error that the user can fix: shown as a sentence, without a stack. */
export class Obstacle extends Error {}
