import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { certificateFiles } from './test-certificate.ts'

/**
 * Paths of the certificates of a private authority and of the certificates that it issued for the key of
 * `certificateFiles`; they are no secrets. All except the expired one end in 2999. The key of the authority does not
 * exist any more.
 *
 * Created with `openssl ca -selfsign` for the authority (`basicConstraints=critical,CA:TRUE`) and `openssl ca` for
 * the others (`CA:FALSE`, `subjectAltName=IP:127.0.0.1,DNS:localhost` or `DNS:elsewhere.example`), with `-startdate`
 * and `-enddate`, on P-256.
 */
export const issuedFiles = {
  authority: fileOf('authority'),
  issued: fileOf('issued'),
  expired: fileOf('expired'),
  notYet: fileOf('not-yet'),
  elsewhere: fileOf('elsewhere'),
}

/** Returns the TLS options of a server with this certificate. */
export function serverOptions(file: string): { cert: Buffer; key: Buffer } {
  return { cert: readFileSync(file), key: readFileSync(certificateFiles.key) }
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(`${name}.pem`, import.meta.url))
}
