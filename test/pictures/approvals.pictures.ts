import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, it } from 'vitest'

import {
  everyApprovalScreen,
  everyApprovalScreenWithPin,
  everyUnansweredApprovalScreen,
  englishActions,
} from '../authenticator/every-approval-screen.ts'
import type { Actions } from '../authenticator/every-approval-screen.ts'
import { phones, small } from '../authenticator/phone.ts'
import { seedAccount } from '../authenticator/seed.ts'
import { startService } from '../support/running-service.ts'
import { drawSheets, type Shots } from './sheet.ts'

const phone = await phones()

/** As apps of these countries would write them. */
const actions: Readonly<Record<string, Actions>> = {
  en: englishActions,
  de: {
    transfer: {
      title: 'Überweisung über 250,00 €',
      details: [
        { label: 'Empfängerin', value: 'Anna Berg, DE89 3704 0044 0532 0130 00' },
        { label: 'Verwendungszweck', value: 'Miete Dezember' },
      ],
    },
    deployment: {
      title: 'v4.2 in die Produktion bringen',
      details: [{ label: 'Commit', value: '1f0c6a2f6d5f3c0d0a1e4f7b8c9d0e1f2a3b4c5d' }],
    },
    position: { label: 'Lieferung', value: '12 Stühle und 3 Tische, in das Besprechungszimmer im zweiten Stock' },
  },
  ja: {
    transfer: {
      title: '25,000円を振り込む',
      details: [
        { label: '振込先', value: '青空銀行 渋谷支店 普通 1234567 ヤマダ ハナコ' },
        { label: '用途', value: '12月分の家賃' },
      ],
    },
    deployment: {
      title: 'v4.2を本番環境へ反映',
      details: [{ label: 'コミット', value: '1f0c6a2f6d5f3c0d0a1e4f7b8c9d0e1f2a3b4c5d' }],
    },
    position: { label: '納品', value: '椅子12脚とテーブル3台を2階の会議室へ' },
  },
  ar: {
    transfer: {
      title: 'تحويل 250.00 يورو',
      details: [
        { label: 'إلى', value: 'ليلى حداد، DE89 3704 0044 0532 0130 00' },
        { label: 'الغرض', value: 'إيجار شهر ديسمبر' },
      ],
    },
    deployment: {
      title: 'نشر الإصدار v4.2',
      details: [{ label: 'Commit', value: '1f0c6a2f6d5f3c0d0a1e4f7b8c9d0e1f2a3b4c5d' }],
    },
    position: { label: 'التسليم', value: '12 كرسيًا و3 طاولات إلى قاعة الاجتماعات في الطابق الثاني' },
  },
}

/** The app stands in the middle of a desktop. */
const middle = { x: 340, y: 0, width: 600, height: 800 }

const variants: Readonly<Record<string, BrowserContextOptions>> = {
  'phone, light': { ...small, colorScheme: 'light' },
  'phone, dark': { ...small, colorScheme: 'dark' },
  'desktop, light': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  'desktop, dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
}

it.each(Object.entries(actions))('contact sheets show all screens of approvals: %s', async (locale, texts) => {
  const screens = new Map<string, Shots>()
  for (const [variant, options] of Object.entries(variants)) {
    const context = { locale, reducedMotion: 'reduce', ...options } as const
    const lookAt = (page: Page) => async (screen: string) => {
      const shots: Shots = screens.get(screen) ?? new Map()
      screens.set(
        screen,
        shots.set(
          variant,
          await page.screenshot({ animations: 'disabled', ...(variant.startsWith('desktop') && { clip: middle }) }),
        ),
      )
    }
    const open = async (pin?: string) => {
      const service = await startService({ domain: pin ? { name: 'Vault', keyType: 'PIN' } : {} })
      const { code } = await service.enroll('alice')
      const page = await phone.open(service, '', context)
      // Nothing is measured here, and a machine that does something else as well may be slow.
      page.setDefaultTimeout(120_000)
      await seedAccount(page, service.url, code, pin)
      await page.locator('.list .row').waitFor()
      return { service, page, look: lookAt(page) }
    }
    const { service, page, look } = await open()
    await everyApprovalScreen(service, page, look, texts)
    const vault = await open('4071')
    await everyApprovalScreenWithPin(vault.service, vault.page, vault.look, texts)
    const rest = await phone.joinedAtRest({ context })
    await everyUnansweredApprovalScreen(rest, lookAt(rest.page), texts)
  }
  await drawSheets(`approvals ${locale}`, screens, Object.keys(variants))
  expect(screens.size).toBeGreaterThan(0)
})
