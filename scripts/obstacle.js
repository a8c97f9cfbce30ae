/** What keeps the demo from starting and the user can do something about: shown as a sentence, without a stack. */
export class Obstacle extends Error {}
