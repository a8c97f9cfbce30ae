import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { type HttpResponse, isResponse, methodNotAllowed, ok } from '../http/http-response.ts'
import { checkOrigin, messageResponse } from '../http/origin-check.ts'
import { readBody } from '../http/request-body.ts'
import type { SideHandler } from '../server.ts'
import { type Action, actions } from './actions.ts'
import { type ConsoleDependencies, ConsoleViewModel } from './console-view-model.ts'
import { ActionError, inEnglish } from './sentence.ts'

const base = '/console/'

const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  css: 'text/css',
  mjs: 'text/javascript',
  svg: 'image/svg+xml',
  json: 'application/json',
}

/** The files of the page, by path. */
const files: ReadonlyMap<string, string> = new Map([
  ['/', 'index.html'],
  ...['style.css', 'controls.css', 'icon.svg', 'german.json'].map((file) => [base + file, file] as const),
  ...['main.mjs', 'panel.mjs', 'options.mjs', 'warnings.mjs', 'service.mjs', 'element.mjs', 'texts.mjs'].map(
    (file) => [base + file, file] as const,
  ),
])

/**
 * Allows only resources of this origin, nothing inline and no frame: a page that frames the console could
 * misdirect clicks.
 */
const securityHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

/**
 * The console of the simulator: a page at `/`, its files below `/console/`, `GET state` and a POST for each
 * action. The links of the page are relative, so that another server can have it below any path.
 *
 * It keeps no state; the page polls once a second, so it also shows changes that were made elsewhere.
 */
export class ConsolePage implements SideHandler {
  readonly #dependencies: ConsoleDependencies
  #viewModel: ConsoleViewModel | undefined

  constructor(dependencies: ConsoleDependencies) {
    this.#dependencies = dependencies
  }

  owns(path: string): boolean {
    return path === '/' || path.startsWith(base)
  }

  answer(request: IncomingMessage, path: string, body: string): HttpResponse {
    const refusal = checkOrigin(request)
    return refusal ? withSecurityHeaders(refusal) : this.respond(request.method ?? '', path, body)
  }

  /** Answers a request of another server, which has checked who sends it; the path is one that `owns` accepts. */
  respond(method: string, path: string, body: string): HttpResponse {
    return withSecurityHeaders(this.#answer(method, path, body))
  }

  #answer(method: string, path: string, body: string): HttpResponse {
    const action = actions.get(path.slice(base.length))
    if (action) return method === 'POST' ? this.#runAction(action, body) : methodNotAllowed('POST')
    const file = files.get(path)
    if (!file && path !== `${base}state`)
      return messageResponse(404, 'This page of the console does not exist.')
    if (method !== 'GET') return methodNotAllowed('GET')
    if (file) return readPageFile(file)
    this.#viewModel ??= new ConsoleViewModel(this.#dependencies)
    return ok(this.#viewModel.read())
  }

  #runAction(action: Action, body: string): HttpResponse {
    const read = readBody(body)
    if (isResponse(read)) return messageResponse(read.status, 'The body must be a JSON object.')
    try {
      const sentence = action(read.body, this.#dependencies)
      return ok({ done: true, message: inEnglish(sentence), ...sentence })
    } catch (error) {
      // Not an HTTP error: a panel that cannot be armed is part of the simulation.
      if (error instanceof ActionError) return ok({ done: false, message: error.message, ...error.sentence })
      // Something that does not exist or is out of range; the message names it.
      if (error instanceof RangeError) return messageResponse(400, error.message)
      throw error
    }
  }
}

function withSecurityHeaders(response: HttpResponse): HttpResponse {
  return { ...response, headers: { ...securityHeaders, ...response.headers } }
}

function readPageFile(file: string): HttpResponse {
  const body = readFileSync(new URL(`page/${file}`, import.meta.url), 'utf8')
  const type = types[file.slice(file.lastIndexOf('.') + 1)]
  return { status: 200, body, headers: { 'Content-Type': `${type}; charset=utf-8` } }
}
