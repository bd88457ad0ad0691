import type { ComponentChildren } from 'preact'

import type { OidcClientKind } from '../../../admin-contract/oidc-client-settings.ts'
import type { Field, FieldName, Typed } from './fields.ts'
import { useOptionText } from './value-text.ts'
import { useOpenIdWords } from './words.ts'

interface FieldInputProps {
  readonly field: Field
  readonly kind: OidcClientKind
  readonly value: Typed
  readonly problem: string | undefined
  readonly onChange: (value: Typed) => void
}

/** A setting with the sentence that explains it, and what is wrong with its value. */
export function FieldInput(props: FieldInputProps) {
  const { control } = props.field
  if (control === 'switch') return <Switch {...props} />
  if (control === 'choices') return <Choices {...props} />
  if (control === 'choice') return <Choice {...props} />
  return <TextInput {...props} />
}

/** Where the texts of a field are, for the element that people use. */
const describedBy = (name: FieldName) => `${name}-hint ${name}-problem`

function Labeled({ field, problem, children }: FieldInputProps & { readonly children: ComponentChildren }) {
  const { label, sentence } = useOpenIdWords().fields[field.name]
  return (
    <div class="field">
      <label>
        <span>{label}</span>
        {children}
      </label>
      <small id={`${field.name}-hint`}>{sentence}</small>
      <FieldProblem name={field.name} problem={problem} />
    </div>
  )
}

function FieldProblem({ name, problem }: { readonly name: FieldName; readonly problem: string | undefined }) {
  return (
    <p id={`${name}-problem`} class="danger field-problem">
      {problem ?? ''}
    </p>
  )
}

function TextInput(props: FieldInputProps) {
  const { field, value, problem, onChange } = props
  const isList = field.control === 'lines'
  const isName = field.name === 'name'
  const attributes = {
    value: String(value),
    autocomplete: 'off',
    spellcheck: false,
    'aria-describedby': describedBy(field.name),
    'aria-invalid': problem !== undefined,
    onInput: (event: Event) => onChange((event.currentTarget as HTMLInputElement | HTMLTextAreaElement).value),
    // Addresses, ids and keys are read from the left in every language.
    ...(isName ? { maxLength: 128 } : { dir: 'ltr' as const }),
  }
  return (
    <Labeled {...props}>
      {isList || field.control === 'json' ? (
        <textarea {...attributes} rows={isList ? Math.max(2, String(value).split('\n').length) : 8} />
      ) : (
        <input {...attributes} />
      )}
    </Labeled>
  )
}

function Choice(props: FieldInputProps) {
  const { field, kind, value, problem, onChange } = props
  const textOf = useOptionText()
  return (
    <Labeled {...props}>
      <select
        value={String(value)}
        aria-describedby={describedBy(field.name)}
        aria-invalid={problem !== undefined}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {field.options?.(kind).map((option) => (
          <option key={option} value={option}>
            {textOf(field.name, option)}
          </option>
        ))}
      </select>
    </Labeled>
  )
}

function Switch({ field, value, problem, onChange }: FieldInputProps) {
  const { label, sentence } = useOpenIdWords().fields[field.name]
  return (
    <>
      <label class="choice">
        <input
          type="checkbox"
          checked={value === true}
          aria-invalid={problem !== undefined}
          aria-describedby={`${field.name}-problem`}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        <span>
          <strong>{label}</strong>
          <small>{sentence}</small>
        </span>
      </label>
      <FieldProblem name={field.name} problem={problem} />
    </>
  )
}

function Choices({ field, kind, value, problem, onChange }: FieldInputProps) {
  const { label, sentence } = useOpenIdWords().fields[field.name]
  const textOf = useOptionText()
  const options = field.options?.(kind) ?? []
  const chosen = value as readonly string[]
  // A newer service may have others, which stay.
  const all = [...options, ...chosen.filter((each) => !options.includes(each))]
  return (
    <fieldset class="choices" aria-describedby={describedBy(field.name)}>
      <legend>{label}</legend>
      <small id={`${field.name}-hint`}>{sentence}</small>
      {all.map((option) => (
        <label key={option} class="choice">
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(all.filter((each) => (each === option ? checked : chosen.includes(each))))
            }
          />
          <span>{textOf(field.name, option)}</span>
        </label>
      ))}
      <FieldProblem name={field.name} problem={problem} />
    </fieldset>
  )
}
