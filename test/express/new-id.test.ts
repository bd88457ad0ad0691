import type { IncomingMessage } from 'node:http'

import { expect, it } from 'vitest'

import { underNewId } from '../../src/express/session/new-id.ts'

it('a web session that gets its former id back with its data is refused', async () => {
  const req = { sessionID: 'planted', session: {} } as unknown as IncomingMessage & { sessionID: string }
  const steps = {
    renew: () => Promise.resolve(void (req.sessionID = 'new')),
    // As Object.assign() does with a web session of @fastify/session, whose id is a member with a symbol for a name.
    copyData: () => void (req.sessionID = 'planted'),
  }

  await expect(underNewId(req, steps)).rejects.toThrow('the web session kept its id')
  await expect(underNewId(req, { ...steps, copyData: () => {} })).resolves.toBeUndefined()
})
