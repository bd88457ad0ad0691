import { expect, it } from 'vitest'

import { underNewId } from '../../src/express/session/new-id.ts'

it('a web session that gets its former id back with its data is refused', async () => {
  let id = 'planted'
  const steps = {
    currentId: () => id,
    renew: () => Promise.resolve(void (id = 'new')),
    // As Object.assign() does with a web session of @fastify/session, whose id is a member with a symbol for a name.
    copyData: () => void (id = 'planted'),
  }

  await expect(underNewId(steps)).rejects.toThrow('the web session kept its id')
  await expect(underNewId({ ...steps, copyData: () => {} })).resolves.toBeUndefined()
})
