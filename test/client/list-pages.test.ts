import { createClient } from 'second-factor/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { newUser, startService } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
import { inFullRun } from '../support/full-run.ts'

const users = 150
let running: Running

beforeAll(async () => {
  running = await startService()
  for (let number = 0; number < users; number += 1)
    await running.call('POST', '/users', { body: newUser(`user${number}`) })
})
afterAll(() => running.close())

/** How many users a client reads through a proxy that changes the header Link. */
async function countThrough(changed: (link: string) => string | undefined): Promise<number> {
  const throughProxy: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const headers = new Headers(response.headers)
    const link = headers.get('link')
    if (link !== null) headers.delete('link')
    const sentLink = link === null ? undefined : changed(link)
    if (sentLink !== undefined) headers.set('link', sentLink)
    return new Response(await response.text(), { status: response.status, headers })
  }
  const client = createClient({ baseUrl: `${running.origin}/api`, apiKey: running.apiKey, fetch: throughProxy })
  let count = 0
  for await (const page of client.users.pages()) count += page.length
  return count
}

describe('a list that the client reads to its end', () => {
  inFullRun.each([
    ['as the service writes it', (link: string) => link],
    ['without quotes', (link: string) => link.replaceAll('"', '')],
    [
      'with two relation types and another parameter',
      (link: string) => link.replace('rel="next"', 'title="x"; rel="next last"'),
    ],
    [
      'with an absolute address that contains a comma',
      (link: string) => link.replaceAll('</api', '<https://host/a,b/api'),
    ],
  ])('a client reads every page where the header Link is %s', async (_, changed) => {
    expect(await countThrough(changed)).toBe(users)
  })

  it('a client fails where a proxy has removed the header Link, instead of ending the list too early', async () => {
    await expect(countThrough(() => undefined)).rejects.toThrow('Link')
  })

  it('a client fails where the next page is the same one, instead of reading for ever', async () => {
    await expect(countThrough(() => '</api/users?after=>; rel="next"')).rejects.toThrow('same')
  })
})
