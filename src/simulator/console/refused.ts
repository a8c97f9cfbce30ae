/** What the world does not let happen now, in one sentence for whoever stands at the console. */
export class Refused extends Error {}
