import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { describeInFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { startPushService } from '../../../support/push-service.ts'
import type { PushService } from '../../../support/push-service.ts'
import { unique } from '../codes/code-holder.ts'
import { revokeAdministrator } from '../../../../src/service/features/administrators/administration.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'
import { askCaller, askedCaller, personWithDevice } from './phone-caller.ts'

let folder: string
let mail: MailServer
let pushes: PushService
let running: Console

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-caller-'))
  mail = await startMailServer()
  pushes = await startPushService()
  running = await startConsole(join(folder, 'mfa.sqlite'), {
    smtp: { host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' },
    push: { agent: pushes.agent(), subject: 'mailto:admin@example.com' },
  })
})
afterAll(async () => {
  await running.close()
  await pushes.close()
  await mail.close()
  rmSync(folder, { recursive: true })
})
// Ceremonies are limited by address.
beforeEach(() => running.clock.skip(600))

const helpdesk = () => administrator(running, { role: 'helpdesk', domains: [running.domain.id] })

describeInFullRun('a question of the help desk', () => {
  it('a caller verification wakes the device with a message that carries its id and nothing else', async () => {
    const person = await personWithDevice(running, undefined, { push: pushes.subscribe() })

    const { json } = await askCaller(await helpdesk(), person)
    await pushes.received(1)

    expect(pushes.messages.map(({ json: message }) => message)).toEqual([{ call: json.id }])
  })
})

describe('an answer of No', () => {
  it('a No to a caller verification is mailed to the current owners of the organization and to no other administrator', async () => {
    const addresses = ['first', 'second', 'former', 'admin'].map((name) => `${name}.${unique()}@example.com`)
    const [first, second, former, admin] = addresses as [string, string, string, string]
    const { id } = await administrator(running, { role: 'owner', email: former })
    await revokeAdministrator(running.ctx, { organizationId: running.organization.id, id })
    for (const email of [first, second]) await administrator(running, { role: 'owner', email })
    await administrator(running, { role: 'admin', domains: [running.domain.id], email: admin })
    const agent = await helpdesk()
    const mailsTo = (address: string) => mail.mails.filter(({ to }) => to.includes(address))
    const arrived = async (count: number) => {
      while (mailsTo(first).length + mailsTo(second).length < count) await mail.arrival()
    }

    // Twice: mails of the first time that should not be sent have arrived as well when those of the second time are there.
    for (const count of [2, 4]) {
      const { answer } = await askedCaller(agent, await personWithDevice(running))
      await answer('deny')
      await arrived(count)
    }

    const [{ text } = { text: '' }] = mailsTo(first)
    expect(text).toContain('Someone may be calling your help desk about Domain')
    expect(text).toContain('The help desk asked person ')
    expect([former, admin].flatMap(mailsTo)).toEqual([])
  })
})
