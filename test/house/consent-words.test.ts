import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { adminOperations } from '../../src/admin-contract/operations.ts'
import { isChangeOfPerson } from '../../src/service/features/administrators/consent-subject.ts'

const changes = adminOperations.filter(({ endpoint }) => isChangeOfPerson(endpoint)).map(({ name }) => name)

it.each(['src/console/parts/operation-name.ts', 'src/console/screens/person/consented-action.ts'])(
  '%s has each operation that administrators can ask others to consent to',
  (path) => {
    const text = readFileSync(join(root, path), 'utf8')

    expect(changes.length).toBeGreaterThan(10)
    expect(changes.filter((name) => !new RegExp(String.raw`\b${name}\b`).test(text))).toEqual([])
  },
)
