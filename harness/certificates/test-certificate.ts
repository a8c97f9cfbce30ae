import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Files of a self-made certificate for 127.0.0.1 and localhost, and of its key: for tests, no secret, valid until 2126. */
export const certificateFiles = {
  cert: beside('test-certificate.pem'),
  key: beside('test-key.pem'),
}

/** The same two as PEM. */
export const testCertificate = {
  cert: readFileSync(certificateFiles.cert),
  key: readFileSync(certificateFiles.key),
}
