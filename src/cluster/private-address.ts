import { BlockList, isIP } from 'node:net'

/** The addresses of this machine and of private networks (RFC 1918, 4193, 6598, link-local). */
const privateNetworks = new BlockList()
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const) {
  privateNetworks.addSubnet(network, prefix, 'ipv4')
}
privateNetworks.addAddress('::1', 'ipv6')
privateNetworks.addSubnet('fc00::', 7, 'ipv6')
privateNetworks.addSubnet('fe80::', 10, 'ipv6')

/** Returns true if an IP address is that of this machine or of a private network. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=[\d.]+$)/i, '').replace(/%.*$/, '')
  const family = isIP(plain)
  return family !== 0 && privateNetworks.check(plain, family === 6 ? 'ipv6' : 'ipv4')
}

/** Returns false if a host is a public IP address. What a name leads to shows only when it is connected. */
export function isPrivateHost(host: string): boolean {
  return isIP(host) === 0 || isPrivateAddress(host)
}
