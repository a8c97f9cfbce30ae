import type { NextFunction, Request, Response } from 'express'
import type { NodeAPI } from 'node-red'
import type { HttpResponse } from '../../src/simulator/http/http-response.ts'
import { guard } from '../shared/guard.ts'
import type { ConsoleRequest } from './demo-console.ts'
import { isTooLarge } from './form-route.ts'

type Handler = (RED: NodeAPI, request: ConsoleRequest) => Promise<HttpResponse>
type Handlers = typeof import('./demo-console.ts')

/**
 * Adds the admin routes below `keyholder/demo/<account id>/`: the console page of a demo that runs in this
 * process, for browsers that cannot reach its port.
 *
 * They need the permission to change the account. `POST open` has it from the editor's token and gives the
 * browser a pass, which the other routes accept in place of a token. Only the console is behind them, and
 * nothing is forwarded: the service of the demo stays on its own port.
 */
export function addConsoleRoutes(RED: NodeAPI): void {
  const log = { error: (error: unknown) => RED.log.error(String(error)) }
  const permission = RED.auth.needsPermission('keyholder-account.write')

  const guarded = (response: Response, work: (handlers: Handlers) => Promise<void> | void) =>
    guard(
      log,
      async () => work(await import('./demo-console.ts')),
      (error) => {
        log.error(error)
        if (!response.headersSent) response.sendStatus(500)
      },
    )
  const admitted = (request: Request, response: Response, next: NextFunction) =>
    guarded(response, async ({ isAdmitted }) => {
      if (await isAdmitted(RED, request)) next()
      else permission(request, response, next)
    })
  const answer = (choose: (handlers: Handlers) => Handler) => (request: Request, response: Response) =>
    guarded(response, async (handlers) => {
      if (request.method === 'POST' && isTooLarge(request)) return void response.sendStatus(413)
      const result = await choose(handlers)(RED, request)
      const { headers, text } = handlers.toText(result)
      response.status(result.status).set(headers).end(text)
    })

  const base = '/keyholder/demo/:id'
  RED.httpAdmin.post(
    `${base}/open`,
    permission,
    answer(({ openConsole }) => openConsole),
  )
  RED.httpAdmin.get(base, admitted, (request, response, next) => {
    // The links of the page are relative to the address with a slash at its end.
    if (request.path.endsWith('/')) next()
    else response.redirect(`${encodeURIComponent(String(request.params.id))}/`)
  })
  RED.httpAdmin.get(
    base,
    answer(({ showPage }) => showPage),
  )
  RED.httpAdmin.get(
    `${base}/console/:name`,
    admitted,
    answer(({ showPart }) => showPart),
  )
  RED.httpAdmin.post(
    `${base}/console/:name`,
    admitted,
    answer(({ runAction }) => runAction),
  )
}
