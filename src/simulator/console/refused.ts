/** An action that the simulated world does not allow now; one sentence for the user of the console. */
export class Refused extends Error {}
