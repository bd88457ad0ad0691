import type { HttpClient } from './http-client.ts'

/**
 * Follows the event stream of a waiting page.
 * @param onData Called whenever something arrives.
 * @returns the change that it tells, or `lost` where it ends before; a status that refuses it.
 */
export async function readChange(client: HttpClient, cookie: string, onData: () => void = () => {}): Promise<string> {
  const response = await client.open({
    method: 'GET',
    path: '/mfa/events',
    headers: { cookie, accept: 'text/event-stream', 'sec-fetch-site': 'same-origin' },
  })
  if (!response) return 'lost'
  if (response.statusCode !== 200) return `status ${response.statusCode}`
  return new Promise((resolve) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      onData()
      text += chunk
      const change = /event: change\ndata: (\w+)\n\n/.exec(text)?.[1]
      if (change !== undefined) resolve(change)
      text = text.slice(text.lastIndexOf('\n\n') + 2)
    })
    response.on('close', () => resolve('lost')).on('error', () => resolve('lost'))
  })
}
