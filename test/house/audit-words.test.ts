import { expect, it } from 'vitest'

import { en } from '../../src/console/texts/en.ts'
import { formerEvents, formerFacts } from '../../src/admin-contract/former-events.ts'
import { auditEvents, eventNames } from '../../src/service/engine/audit/events.ts'

// The console has no access to the service's list. An event without a sentence is shown under its name.
it('the console has a sentence for each event of the audit trail, and for no other', () => {
  expect(Object.keys(en.audit.events).toSorted()).toEqual([...eventNames].toSorted())
})

it('the console has a word for each fact of the audit trail, and for no other', () => {
  // The reason of an administrator is a fact of every event.
  const facts = new Set<string>([...Object.values(auditEvents).flat(), 'because'])

  expect(Object.keys(en.audit.facts).toSorted()).toEqual([...facts].toSorted())
})

it('the console has texts for the current names of renamed events and facts', () => {
  const events = [...formerEvents.values()]
  const facts = [...formerFacts.values()]

  expect(Object.keys(en.audit.events)).toEqual(expect.arrayContaining(events))
  expect(Object.keys(en.audit.facts)).toEqual(expect.arrayContaining(facts))
})
