import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { parseJson } from '../../service/schema.ts'

const nonceBytes = 12
const tagBytes = 16

/**
 * Returns the key of what only instances with a panel may read, made of its serial number.
 * @param place the name of the panel in the shared state, or of one of its leases
 * @param content the kind of what is sealed; each has a key of its own
 */
export function panelKey(serial: string, place: string, content: string): Buffer<ArrayBuffer> {
  return Buffer.from(hkdfSync('sha256', serial, place, content, 32))
}

/**
 * Seals data with AES-256-GCM, so that only who has the key can read or change it.
 * @param key 32 bytes
 * @param place where it is stored: what was sealed for another place cannot be opened
 */
export function seal(key: Buffer, place: string, data: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(data), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Returns sealed data; undefined if it was sealed with another key or for another place, or was changed. */
export function open(key: Buffer, place: string, sealed: Buffer): Buffer | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined
  const nonce = sealed.subarray(0, nonceBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()])
  } catch {
    return undefined
  }
}

/** Seals a value that can be a JSON text. */
export function sealJson(key: Buffer, place: string, value: unknown): Buffer {
  return seal(key, place, Buffer.from(JSON.stringify(value)))
}

/**
 * Returns a sealed value, which is as trustworthy as this process: whoever can seal it has the key. Returns undefined
 * for what `open` refuses, and for what is no data at all.
 */
export function openJson(key: Buffer, place: string, sealed: unknown): unknown {
  const text = Buffer.isBuffer(sealed) ? open(key, place, sealed) : undefined
  return text === undefined ? undefined : parseJson(`${text}`)
}
