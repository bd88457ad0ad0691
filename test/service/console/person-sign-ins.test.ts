import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import type { PersonSignIn } from '../../../src/contract/admin/person-sign-ins.ts'
import { sweep } from '../../../src/service/maintenance/sweep.ts'
import { engines, useEngine } from '../../support/engines.ts'
import { administrator, startConsole } from './console-holder.ts'
import type { Console } from './console-holder.ts'
import { personWithDevice } from './phone-caller.ts'
import type { Person } from './phone-caller.ts'

type Administrator = Awaited<ReturnType<typeof administrator>>

describe.each(engines)('the sign-ins of a person, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console
  let helpdesk: Administrator
  let person: Person

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
  })
  afterAll(() => running.close())
  beforeEach(async () => {
    running.clock.skip(600)
    helpdesk = await administrator(running, { role: 'helpdesk', domains: [running.domain.id] })
    person = await personWithDevice(running)
  })

  const attributes = [{ key: 'Browser', value: 'Firefox' }]
  const ask = async (domainId = running.domain.id) =>
    (
      await running.call('POST', `/domains/${domainId}/sessions`, {
        body: { user: { id: person.id }, attributes, ipAddress: '203.0.113.7' },
      })
    ).json
  const read = async (by = helpdesk, query = '') =>
    (await by.call('GET', `/people/${person.id}/sign-ins${query}`)).json as { signIns: PersonSignIn[]; next?: string }

  async function approve() {
    const { id } = await ask()
    const request = (await person.pending()).find((each) => each.id === id)!
    await person.device.answer(request.id, { nonce: request.nonce, decision: 'approve' })
    return id as string
  }

  it('show time, app, address, browser and outcome', async () => {
    const id = await approve()

    const { signIns } = await read()

    expect(signIns).toEqual([
      {
        id,
        domain: running.domain.id,
        state: 'approved',
        factor: 'push',
        purpose: 'sign_in',
        address: '203.0.113.7',
        attributes,
        knownBrowser: false,
        at: running.clock.now(),
      },
    ])
  })

  it('stay for those that the present device answered, when their sessions are gone', async () => {
    const id = await approve()
    running.clock.skip(26 * 60 * 60)
    await sweep(running.ctx)
    helpdesk = await administrator(running, { role: 'helpdesk', domains: [running.domain.id] })

    const { signIns } = await read()

    expect(signIns).toMatchObject([{ id, state: 'approved', address: '203.0.113.7', attributes }])
  })

  it('read as expired once their time is over', async () => {
    await ask()
    running.clock.skip(91)

    const { signIns } = await read()

    expect(signIns).toMatchObject([{ state: 'expired', reason: 'timeout' }])
  })

  it('are those of the domains of the administrator', async () => {
    const { administration } = running.service
    const other = await administration.createDomain(running.organization.id, { name: 'Other' })
    await running.call('PUT', `/domains/${other.id}/users/${person.id}`)
    await approve()
    const body = { user: { id: person.id }, bypasscode: '000000000' }
    await running.call('POST', `/domains/${other.id}/sessions`, { body })
    const owner = await administrator(running, { role: 'owner' })

    const [limited, all] = [await read(), await read(owner)]

    expect(limited.signIns.map(({ domain }) => domain)).toEqual([running.domain.id])
    expect(all.signIns.map(({ domain }) => domain).toSorted()).toEqual([running.domain.id, other.id].toSorted())
  })

  it('come in pages, each once', async () => {
    for (let count = 0; count < 25; count++) {
      const body = { user: { id: person.id }, bypasscode: '000000000' }
      await running.call('POST', `/domains/${running.domain.id}/sessions`, { body })
      await helpdesk.call('POST', `/people/${person.id}/unlock`, { body: { because: 'test' } })
      running.clock.skip(1)
    }

    const first = await read()
    const second = await read(helpdesk, `?before=${first.next}`)

    const ids = [...first.signIns, ...second.signIns].map(({ id }) => id)
    expect([first.signIns.length, second.next]).toEqual([20, undefined])
    expect(new Set(ids).size).toBe(ids.length)
  })
})
