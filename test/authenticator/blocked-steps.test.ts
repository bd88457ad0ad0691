import { describe, expect, it } from 'vitest'

import { browserOf } from '../../src/authenticator/accounts/browser-of.ts'
import { en } from '../../src/authenticator/texts/en.ts'

describe('blocked notifications', () => {
  it.each([
    ['Chrome on Android', 'Mozilla/5.0 (Linux; Android 10; K) Chrome/140.0 Mobile Safari/537.36', 'then “Permissions”'],
    ['Samsung Internet', 'Mozilla/5.0 (Linux; Android 10; K) SamsungBrowser/28.0 Chrome/130.0', 'Sites and downloads'],
    [
      'Safari on an iPhone',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Safari/604.1',
      'Settings of the iPhone',
    ],
    ['Firefox', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Remove the block'],
    ['Edge', 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0', 'Turn on “Notifications”'],
  ])(
    'the app explains how to allow blocked notifications again in %s with the steps of that browser',
    (_, userAgent, step) => {
      expect(en.blockedSteps[browserOf(userAgent)].join(' ')).toContain(step)
    },
  )
})
