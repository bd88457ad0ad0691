import { authorization, defaultVendor, mediaType } from '../../src/contract/media-type.ts'
import { createHttpClient } from '../../test/support/crowd/http-client.ts'

export type RestCaller = ReturnType<typeof createRestCaller>

/** Calls the REST interface, version 1.4, with as little work as it can. */
export function createRestCaller(url: string, apiKey: string) {
  const http = createHttpClient(url, '127.0.0.1')
  const type = mediaType(defaultVendor, '1.4')
  const ownHeaders = { accept: type, authorization: authorization(defaultVendor, apiKey) }

  async function call<T>(method: 'GET' | 'POST', path: string, content?: object): Promise<T> {
    const body = content && JSON.stringify(content)
    const bodyHeaders = body !== undefined && {
      'content-type': type,
      'content-length': String(Buffer.byteLength(body)),
    }
    const headers = { ...ownHeaders, ...bodyHeaders }
    const { status, text } = await http.send({
      method,
      path: `/api${path}`,
      headers,
      ...(body !== undefined && { body }),
    })
    if (status >= 300) throw new Error(`${method} ${path} was answered with ${status} ${text}`)
    return JSON.parse(text) as T
  }

  return {
    http,
    get: async <T>(path: string) => call<T>('GET', path),
    post: async <T>(path: string, content: object) => call<T>('POST', path, content),
  }
}
