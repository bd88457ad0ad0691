import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'
import { expect, it, onTestFinished } from 'vitest'

import { listen } from '../support/listen.ts'

it('mfa() says what to write where a framework calls it without Express', async () => {
  const service = embedded({ database: ':memory:' })
  onTestFinished(() => service.close())
  const second = mfa({ service })
  // As frameworks do that take middleware of this form.
  const url = await listen((req, res) => {
    try {
      second(req as never, res as never, () => res.end('passed'))
    } catch (error) {
      res.end(String(error))
    }
  })

  const text = await (await fetch(url)).text()

  expect(text).toMatch(/^SetupError: mfa\(\) was called without Express\. .*createServer\(app\)/)
})
