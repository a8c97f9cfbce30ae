import { type IncomingMessage, request } from 'node:http'

/** A response, with its body parsed if it is JSON. */
export interface Reply {
  status: number
  // Each test reads other fields.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests check
  body: any
  text: string
  headers: IncomingMessage['headers']
}

/**
 * Sends a request with exactly these headers, even `Host`, `Origin` and `Sec-Fetch-Site`, which `fetch`
 * forbids. Redirects are not followed.
 */
export function visit(url: string, method: string, headers = {}, body = ''): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
      response.on('end', () => {
        const isJson = response.headers['content-type']?.startsWith('application/json')
        const { statusCode: status = 0, headers } = response
        resolve({ status, text, body: isJson ? JSON.parse(text) : undefined, headers })
      })
    })
    asked.once('error', reject)
    asked.end(body)
  })
}
