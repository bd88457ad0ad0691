import { expect, it } from 'vitest'

import { en } from '../../src/console/words/en.ts'
import { eventNames } from '../../src/service/audit/events.ts'

// The console has no access to the service's list. An event without a sentence is shown under its name.
it('the console has a sentence for each event of the audit trail, and for no other', () => {
  expect(Object.keys(en.audit.events).toSorted()).toEqual([...eventNames].toSorted())
})
