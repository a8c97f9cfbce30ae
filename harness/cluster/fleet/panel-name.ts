/** Returns the name of a panel among those of several services, which have the same serials. */
export function panelName(url: string, serial: string): string {
  return `${url}/${serial}`
}
