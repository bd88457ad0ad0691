import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import * as contract from '../../../../src/contract/index.ts'
import type { Endpoint } from '../../../../src/contract/index.ts'
import { routes } from '../../../../src/service/routes/rest.ts'
import { route } from '../../../../src/service/engine/http/route.ts'
import type { Call } from '../../../../src/service/engine/http/route.ts'
import { ApiProblem } from '../../../../src/service/engine/base/problem.ts'

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value

describe('the route table', () => {
  it('the route table has every endpoint of the contract, once', () => {
    const declared: readonly Endpoint[] = Object.values<unknown>(contract).filter(isEndpoint)
    const named = ({ method, path }: Endpoint) => `${method} ${path}`

    expect(routes.map(({ endpoint }) => named(endpoint)).toSorted()).toEqual(declared.map(named).toSorted())
    expect(routes.filter(({ endpoint }) => !declared.includes(endpoint))).toEqual([])
  })
})

describe('a route', () => {
  const endpoint = contract.endpoint({
    method: 'POST',
    path: '/things',
    summary: 'For this test.',
    body: z.object({ user: z.string(), other: z.string().optional() }),
    body13: z.object({ user: z.string() }),
    response: z.object({ first: z.string(), second: z.string().optional() }),
    response13: z.object({ first: z.string() }),
    errors: ['api.error.invalid.user', 'api.error.notfound.user'],
  })
  const requestWith = (body: unknown) => ({ params: {}, query: {}, body: () => Promise.resolve(body) })
  const call = (version: string) => ({ version }) as Call
  const good = { user: 'u', other: 'o' }

  it('a route returns an error that its endpoint declares, or a common one', async () => {
    for (const code of ['api.error.notfound.user', 'api.error.toomanyrequests'] as const) {
      const { run } = route(endpoint, () => Promise.reject(new ApiProblem(code)))

      await expect(run(requestWith(good), call('1.4'))).rejects.toMatchObject({ code })
    }
  })

  it('a route turns an error that its endpoint does not declare into an internal one', async () => {
    const { run } = route(endpoint, () => Promise.reject(new ApiProblem('api.error.conflict.username')))

    await expect(run(requestWith(good), call('1.4'))).rejects.toMatchObject({ code: 'api.error.internal' })
  })

  it('a route returns only what its endpoint declares for the version', async () => {
    const answer = { first: '1', second: '2', secret: '3' }
    const { run } = route(endpoint, () => Promise.resolve(answer))

    expect(await run(requestWith(good), call('1.4'))).toEqual({ first: '1', second: '2' })
    expect(await run(requestWith(good), call('1.3'))).toEqual({ first: '1' })
  })

  it('a route accepts only what its endpoint declares for the version', async () => {
    const inputs: unknown[] = []
    const { run } = route(endpoint, (input) => {
      inputs.push(input)
      return Promise.resolve({ first: '1' })
    })

    await run(requestWith({ ...good, more: 'm' }), call('1.4'))
    await run(requestWith({ ...good, more: 'm' }), call('1.3'))

    expect(inputs).toEqual([{ user: 'u', other: 'o' }, { user: 'u' }])
  })

  it('a route reports a field as invalid only if its endpoint declares that, and otherwise as malformed', async () => {
    const { run } = route(endpoint, () => Promise.resolve({ first: '1' }))

    await expect(run(requestWith({ user: 1 }), call('1.4'))).rejects.toMatchObject({ code: 'api.error.invalid.user' })
    await expect(run(requestWith({ user: '1', other: 2 }), call('1.4'))).rejects.toMatchObject({
      code: 'api.error.malformed',
    })
  })
})
