import { expect, it } from 'vitest'
import { z } from 'zod'

import { adminOperations } from '../../src/admin-contract/operations.ts'
import { operations } from '../../src/contract/operations.ts'
import { adminExamples } from '../../src/service/engine/openapi/admin-examples.ts'
import { examples } from '../../src/service/engine/openapi/examples.ts'

/** Members that one exchange per operation does not have, by the first operation that has them. */
const withoutExample: Readonly<Record<string, string>> = {
  createApproval: 'answer.approvers.removed answer.number answer.reason request.expiresIn',
  createHardwareToken: 'request.counter',
  createOidcClient:
    'request.ciba.notificationEndpoint request.ciba.showsNumber request.entra.application request.entra.cloud request.entra.tenant',
  createSession:
    'answer.browser.keptUntil answer.deviceName answer.fromKeptBrowser answer.keepBrowser answer.lockedFor answer.reason answer.triesLeft request.binding request.browserProof request.browserProof.origin request.bypasscode request.enrolling request.redeem.browser.publicKey request.unknownBrowser',
  createUser: 'answer.importedCodes request.provision',
  enrollHardwareToken: 'answer.counter request.replaces',
  getPerson: 'answer.caller answer.hardware answer.helpDeskBlockedUntil',
  getToken: 'answer.expiresAt answer.replacement answer.selfEnrollment',
  importFactors: 'answer.users.outcome request.addUsers request.dryRun',
  importSession: 'request.factors.recovery.sha512',
  importStock: 'answer.ignored',
  listApprovals: 'answer.next',
  listAudit: 'answer.entries.requestId',
  listConsents: 'answer.passkey',
  listPersonTimeline:
    'answer.entries.signIn answer.entries.signIn.purpose answer.waiting.address answer.waiting.attributes answer.waiting.factor answer.waiting.knownBrowser answer.waiting.reason',
  prepareBulkJob: 'request.search.q',
  redeemSession: 'request.unknownBrowser',
  registerPasskey: 'request.conditional',
  searchPeople: 'answer.people.locked answer.people.locked.until',
  startAuditVerification: 'answer.last.first answer.last.first.at answer.last.first.kind answer.last.first.position',
  watchSessions: 'answer.changed',
}

interface Member {
  readonly place: string
  isShown: boolean
}

/** Members by their name and schema: schemas that extend each other share their members. */
const members = new Map<z.ZodType, Map<string, Member>>()

/** The names of all members that an example has. */
const shownNames = new Set<string>()

function memberOf(schema: z.ZodType, name: string, place: string): Member {
  const known = members.get(schema) ?? new Map<string, Member>()
  const member = known.get(name) ?? { place, isShown: false }
  members.set(schema, known.set(name, member))
  return member
}

/** Notes the members of a schema, and which of them an example has. */
function look(schema: unknown, example: unknown, place: string): void {
  if (schema instanceof z.ZodObject) {
    const values = Object(example) as Readonly<Record<string, unknown>>
    for (const [name, inner] of Object.entries<z.ZodType>(schema.shape)) {
      const member = memberOf(inner, name, `${place}.${name}`)
      if (values[name] !== undefined) {
        member.isShown = true
        shownNames.add(name)
      }
      look(inner, values[name], `${place}.${name}`)
    }
  } else if (schema instanceof z.ZodArray) {
    const items = Array.isArray(example) && example.length > 0 ? example : [undefined]
    for (const item of items) look(schema.element, item, place)
  } else if (schema instanceof z.ZodUnion) {
    for (const option of schema.options as z.ZodType[]) {
      look(option, option.safeParse(example).success ? example : undefined, place)
    }
  } else if (schema instanceof z.ZodPipe) {
    look(schema.in, example, place)
  } else if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    look(schema.unwrap(), example ?? undefined, place)
  }
}

it('examples.ts and admin-examples.ts in src/service/engine/openapi show each member of an answer, and each name in a request', () => {
  const all = { ...examples, ...adminExamples }
  for (const { name, endpoint } of [...operations, ...adminOperations]) {
    look(endpoint.body, all[name]?.request, `${name}: request`)
    look(endpoint.response, all[name]?.answer, `${name}: answer`)
  }
  const missing = [...members.values()].flatMap((known) =>
    [...known].flatMap(([name, { place, isShown }]) =>
      isShown || (place.includes(': request') && shownNames.has(name)) ? [] : [place],
    ),
  )
  const expected = Object.entries(withoutExample).flatMap(([name, places]) =>
    places.split(' ').map((place) => `${name}: ${place}`),
  )

  expect(missing.toSorted()).toEqual(expected.toSorted())
})
