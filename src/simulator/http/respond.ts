import { type Answer, ok } from './answer.ts'
import type { Service } from './operation.ts'
import { deadSession, wrongUserToken } from './refusals.ts'
import { readBody } from './request-body.ts'
import type { Api, Route } from './router.ts'

/** The parts of a request that an answer depends on. */
export interface Asked {
  readonly userToken: string
  readonly sessionToken: string
  readonly body: string
}

/** The truthful answer to a request: checks the credentials that the operation needs, then asks it. */
export function respond(service: Service, apis: readonly Api[], way: Route, asked: Asked): Answer {
  if (way.to === 'nowhere') return way.answer
  if (way.to === 'version') return versions(apis)
  const { operation } = way
  const { accounts } = service
  if (operation.needs !== 'nothing' && !accounts.knows(asked.userToken)) return wrongUserToken
  const read = operation.method === 'POST' ? readBody(asked.body) : { body: {} }
  if ('status' in read) return read as Answer
  const question = {
    version: way.version,
    argument: way.argument,
    body: read.body,
    userToken: asked.userToken,
  }
  if (operation.needs !== 'session') return operation.answer(question, service)
  const session = accounts.session(asked.userToken, asked.sessionToken)
  if (!session) return deadSession(accounts.expiryAnswer)
  return operation.answer({ ...question, session }, service)
}

/** GET version (field fact): which versions the two services offer. */
function versions(apis: readonly Api[]): Answer {
  const offered = (base: string) => apis.find((api) => api.base === base)?.versions ?? []
  return ok({
    rest_versions: offered('/rest_api'),
    installer_versions: offered('/rest_api/installer'),
    push_format_versions: ['1.0'],
    dls_versions: ['1.0'],
  })
}
