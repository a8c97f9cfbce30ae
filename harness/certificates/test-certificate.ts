import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/**
 * Paths of a self-signed certificate for 127.0.0.1 and localhost, valid until 2126, and of its key, which is no
 * secret.
 */
export const certificateFiles = {
  cert: beside('test-certificate.pem'),
  key: beside('test-key.pem'),
}

/** Both as PEM. */
export const testCertificate = {
  cert: readFileSync(certificateFiles.cert),
  key: readFileSync(certificateFiles.key),
}
