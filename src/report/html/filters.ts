import { SEVERITIES } from '../../checks/outcome.ts'
import { countBySeverity, type Item } from '../items.ts'

/** Values of a filter, each with its label and how many findings it leaves. */
interface Choice {
  readonly value: string
  readonly label: string
  readonly count: number
}

/** Filters by severity and, where a base is known, by state: radio buttons that the style sheet reads, no script. */
export function renderFilters(items: readonly Item[], compared: boolean): string {
  const counts = countBySeverity(items)
  const introduced = items.filter((i) => i.state === 'introduced').length
  return [
    group(
      'severity',
      'Severity',
      SEVERITIES.map((s) => ({ value: s, label: s, count: counts[s] })),
    ),
    compared
      ? group('state', 'State', [
          { value: 'introduced', label: 'New', count: introduced },
          { value: 'existing', label: 'There before', count: items.length - introduced },
        ])
      : '',
  ].join('')
}

function group(id: string, legend: string, choices: readonly Choice[]): string {
  const radio = (value: string, label: string, checked: boolean) =>
    `<label><input type="radio" name="${id}" id="${id}-${value}"${checked ? ' checked' : ''}>${label}</label>`
  return `<fieldset class="filter"><legend>${legend}</legend>${radio('all', 'All', true)}${choices.map((c) => radio(c.value, `${c.label} (${c.count})`, false)).join('')}</fieldset>`
}

/** Rules that hide what a chosen filter does not name, and unfold what it does name. */
export const FILTER_STYLE = [
  ...SEVERITIES.map((s) => hide(`severity-${s}`, s)),
  hide('state-introduced', 'introduced'),
  hide('state-existing', 'existing'),
  '.findings:has(.filter input:checked:not([id$=all])) :is(.group,.more)::details-content{content-visibility:visible;display:block;height:auto}',
].join('\n')

function hide(input: string, kind: string): string {
  return `.findings:has(#${input}:checked) .finding:not(.${kind}){display:none}.findings:has(#${input}:checked) .group:not(:has(.finding.${kind})){display:none}`
}
