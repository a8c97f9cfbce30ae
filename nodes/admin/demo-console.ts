import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { NodeAPI } from 'node-red'
import { systemClock } from '../../src/clock.ts'
import { hour } from '../../src/duration.ts'
import { bodyText, type HttpResponse } from '../../src/simulator/http/http-response.ts'
import { checkAction } from '../../src/simulator/http/origin-check.ts'
import { configNode } from '../config/config-nodes.ts'
import { type Demo, isDemo, runningDemo } from '../config/demo.ts'

/** Sentences for an account that has no console. */
const absences = {
  notDeployed:
    'This account has no demo panel. In the dialog of the account, select Demo panel as the Source, and deploy.',
  notUsed:
    'The demo panel of this account does not run, because no node uses it. Add a node with a panel of this account, and deploy.',
} as const

/** An admin request, as far as it is used here. */
export interface ConsoleRequest {
  readonly headers: IncomingHttpHeaders
  readonly params: Readonly<Record<string, unknown>>
  readonly body: unknown
  is(type: string): unknown
}

/** Returns true if a request has a pass for the console of its account. */
export async function isAdmitted(RED: NodeAPI, { params, headers }: ConsoleRequest): Promise<boolean> {
  const demo = await findDemo(RED, params.id)
  return typeof demo === 'object' && hasValidPass(headers.cookie, demo.passKey, systemClock.monotonic())
}

/** Gives the browser of an authorized request a pass for the console. */
export async function openConsole(RED: NodeAPI, { params, headers }: ConsoleRequest): Promise<HttpResponse> {
  const demo = await findDemo(RED, params.id)
  if (typeof demo === 'string') return describeAbsence(demo)
  // The scheme that the browser uses; behind a proxy only the browser knows it.
  const isSecure = headers.origin?.startsWith('https:') ?? false
  const cookie = createPassCookie(demo.passKey, systemClock.monotonic(), isSecure)
  return { status: 200, body: {}, headers: { 'Set-Cookie': cookie } }
}

/** Shows the page of the console. */
export async function showPage(RED: NodeAPI, { params }: ConsoleRequest): Promise<HttpResponse> {
  const demo = await findDemo(RED, params.id)
  if (typeof demo === 'object') return demo.simulator.console.respond('GET', '/', '')
  return { status: 404, body: absences[demo], headers: { 'Content-Type': 'text/plain; charset=utf-8' } }
}

/** Answers a request for a file or the data of the page. */
export async function showPart(RED: NodeAPI, { params }: ConsoleRequest): Promise<HttpResponse> {
  const demo = await findDemo(RED, params.id)
  if (typeof demo === 'string') return describeAbsence(demo)
  return demo.simulator.console.respond('GET', `/console/${params.name}`, '')
}

/** Runs an action of the page. */
export async function runAction(RED: NodeAPI, request: ConsoleRequest): Promise<HttpResponse> {
  const error = checkAction(isFromOwnPage(request.headers), Boolean(request.is('json')))
  if (error !== undefined) return error
  const { id, name } = request.params
  const demo = await findDemo(RED, id)
  if (typeof demo === 'string') return describeAbsence(demo)
  return demo.simulator.console.respond('POST', `/console/${name}`, JSON.stringify(request.body))
}

/** Returns the headers and the text of a response. */
export function toText(response: HttpResponse): { headers: Record<string, string>; text: string } {
  const type = typeof response.body === 'string' ? 'text/html' : 'application/json'
  const headers = { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-store' }
  return { headers: { ...headers, ...response.headers }, text: bodyText(response) }
}

/** Returns the running demo of a deployed account, or why there is none. */
async function findDemo(RED: NodeAPI, id: unknown): Promise<Demo | keyof typeof absences> {
  const node = configNode(RED, 'keyholder-account', id)
  if (node === undefined || !isDemo(node.deployed)) return 'notDeployed'
  return (await runningDemo(node.id)) ?? 'notUsed'
}

function describeAbsence(reason: keyof typeof absences): HttpResponse {
  return { status: 404, body: { reason, message: absences[reason] } }
}

/**
 * Returns true if a page of this address sent the request. `Sec-Fetch-Site` says so even behind a proxy that
 * changes `Host`; browsers leave it out where a page is neither on https nor on the same machine.
 */
function isFromOwnPage({ host, origin = '', 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site !== undefined) return site === 'same-origin'
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()
}

/**
 * A pass for the console page of one demo, in a cookie.
 *
 * The editor sends its token in a header, which a browser does not do when it opens a page. So an authorized
 * request of the editor gets a cookie. It has no path of its own: browsers then take the folder of that
 * request, which is right behind a proxy that changes the path too.
 */
const cookieName = 'keyholder-demo'
const passCookie = new RegExp(`^${cookieName}=(\\d{1,16})\\.([\\w-]{43})$`)

/** Milliseconds for which the pass for a console is valid: a day of work. */
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
