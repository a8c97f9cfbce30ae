/**
 * Returns JavaScript for a function node that blocks the event loop of a Node-RED, and needs no processor meanwhile.
 * @param ms an expression for the milliseconds
 */
export function blockingCode(ms: string): string {
  return `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms})`
}
