import { expect, it } from 'vitest'

import { DomainChanges } from '../../src/admin-contract/domain-settings.ts'
import { settingParts } from '../../src/console/screens/apps/settings.ts'

it('the console shows each setting of an app that can be changed, once', () => {
  const shown = settingParts.flatMap(([, names]) => names)

  expect(shown.toSorted()).toEqual(DomainChanges.keyof().options.toSorted())
})
