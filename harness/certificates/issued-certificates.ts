import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { certificateFiles } from './test-certificate.ts'

/**
 * Files of a private authority and of what it issued to a service with the key of `certificateFiles`: for tests, no
 * secret. All but the expired one end in 2999; the authority's own key was thrown away.
 *
 * Made with `openssl ca -selfsign` for the authority (`basicConstraints=critical,CA:TRUE`) and `openssl ca` for the
 * others (`CA:FALSE`, `subjectAltName=IP:127.0.0.1,DNS:localhost`, or `DNS:elsewhere.example`), with `-startdate` and
 * `-enddate`, on P-256.
 */
export const issuedFiles = {
  authority: fileOf('authority'),
  issued: fileOf('issued'),
  expired: fileOf('expired'),
  notYet: fileOf('not-yet'),
  elsewhere: fileOf('elsewhere'),
}

/** What a server shows with the certificate in the file. */
export function serverOptions(file: string): { cert: Buffer; key: Buffer } {
  return { cert: readFileSync(file), key: readFileSync(certificateFiles.key) }
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(`${name}.pem`, import.meta.url))
}
