{{/* The processes, with the settings that each reads and the servers that it may reach. Sizes are values. */}}
{{- define "hindsight.processes" -}}
# Stateful, so that a gateway that comes back finds the usage that it had not sent yet.
gateway:
  stateful: { serviceName: gateway-instances, podManagementPolicy: Parallel }
  service: true
  reaches: [kafka, mongodb, redis]
  configMaps: [hindsight, hindsight-kafka, hindsight-public]
  secrets: [secrets, kafka, mongodb, redis]
  calls: [balance, tokens, holders, orders]
balance:
  service: true
  reaches: [redis, ethereum]
  configMaps: [hindsight]
  secrets: [redisAnswers, ethereum]
  calls: [holders]
# One of them indexes, all of them serve.
tokens:
  service: true
  reaches: [mongodb, ethereum]
  configMaps: [hindsight]
  secrets: [mongodb, ethereum]
holders:
  stateful: { serviceName: holders }
  service: true
  reaches: [clickhouse, ethereum]
  configMaps: [hindsight, hindsight-holders]
  secrets: [ethereum, clickhouse]
  calls: [balance]
orders:
  service: true
  reaches: [kafka, mongodb, ethereum]
  configMaps: [hindsight, hindsight-kafka]
  secrets: [kafka, mongodb, ethereum]
# Nothing calls it.
metering:
  service: false
  reaches: [kafka, mongodb, redis]
  configMaps: [hindsight, hindsight-kafka]
  secrets: [kafka, mongodb, redis]
portal:
  service: true
  reaches: [kafka, mongodb, redis, ethereum, mail]
  configMaps: [hindsight, hindsight-kafka, hindsight-public]
  secrets: [secrets, kafka, mongodb, redis, ethereum, portal]
  # The status page shows their state.
  calls: [gateway, balance, tokens, holders, orders]
{{- end }}

{{- define "hindsight.metadata" -}}
name: {{ .name }}
namespace: {{ .release.Namespace }}
labels: { app.kubernetes.io/part-of: hindsight }
{{- end }}

{{- define "hindsight.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}
