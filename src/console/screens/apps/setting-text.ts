import { printable } from '../../../ground/printable.ts'
import { useSpeech } from '../../words/speech.tsx'
import type { SettingName, Settings } from './settings.ts'

/** Says the value of a setting in the words of the language. */
export function useSettingText(): (settings: Settings, name: SettingName) => string {
  const {
    words: { apps },
    locale,
  } = useSpeech()
  return (settings, name) => {
    if (name === 'type') return apps.types[settings.type]
    if (name === 'keyType') return apps.keyTypes[settings.keyType]
    if (name === 'numberMatching') return apps.numbers[settings.numberMatching ?? 'off']
    if (name === 'phishingResistant') return apps.policies[settings.phishingResistant ?? 'off']
    const value = settings[name]
    if (typeof value === 'boolean') return value ? apps.on : apps.off
    return typeof value === 'number' ? new Intl.NumberFormat(locale).format(value) : printable(value)
  }
}
