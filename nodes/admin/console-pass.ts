import { createHmac, timingSafeEqual } from 'node:crypto'
import { hour } from '../../src/duration.ts'

/**
 * A pass for the console page of one demo, in a cookie.
 *
 * The editor sends its token in a header, which a browser does not do when it opens a page. So an authorized
 * request of the editor gets a cookie. It has no path of its own: browsers then take the folder of that
 * request, which is right behind a proxy that changes the path too.
 */
const cookieName = 'keyholder-demo'
const passCookie = new RegExp(`^${cookieName}=(\\d{1,16})\\.([\\w-]{43})$`)
const lifetime = 12 * hour

/**
 * Returns the `Set-Cookie` header with a new pass.
 * @param key of the demo
 * @param now milliseconds of the monotonic clock
 * @param isSecure true if the browser uses https
 */
export function createPassCookie(key: Buffer, now: number, isSecure: boolean): string {
  const end = String(Math.round(now + lifetime))
  const pass = `${end}.${sign(end, key).toString('base64url')}`
  return `${cookieName}=${pass}; Max-Age=${lifetime / 1000}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}

/** Returns true if a `Cookie` header contains a valid pass; a browser can send several of one name. */
export function hasValidPass(cookies: string | undefined, key: Buffer, now: number): boolean {
  return (cookies ?? '').split(/; */).some((cookie) => {
    const [, end = '', signature = ''] = passCookie.exec(cookie) ?? []
    return (
      end !== '' && timingSafeEqual(Buffer.from(signature, 'base64url'), sign(end, key)) && now < Number(end)
    )
  })
}

function sign(end: string, key: Buffer): Buffer {
  return createHmac('sha256', key).update(end).digest()
}
