import {
  optionalCertificates,
  optionalChoice,
  optionalHostList,
  optionalText,
  toggle,
  type Config,
} from '@hindsight/kernel/config.ts';

/**
 * The settings of every process that opens the bus. @param about the process's use of the bus, and its way
 * without brokers
 */
export function kafkaSettings(about: string) {
  return {
    KAFKA_BROKERS: optionalHostList(about),
    KAFKA_TLS: toggle('whether connections to Kafka are encrypted'),
    KAFKA_CA_FILE: {
      ...optionalCertificates('a PEM file of the authorities that sign the brokers’ certificates'),
      needs: ['KAFKA_TLS'],
    },
    KAFKA_SASL_MECHANISM: {
      ...optionalChoice('how processes sign in to Kafka', ['plain', 'scram-sha-256', 'scram-sha-512']),
      needs: ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
    },
    KAFKA_SASL_USERNAME: { ...optionalText('the user at Kafka'), needs: ['KAFKA_SASL_MECHANISM'] },
    KAFKA_SASL_PASSWORD: {
      ...optionalText('the password at Kafka, at most 4096 characters', { secret: true }),
      needs: ['KAFKA_SASL_MECHANISM'],
    },
  };
}

/** Options of `openBus` from a process's settings. */
export function busSettings(
  config: Config<ReturnType<typeof kafkaSettings>> & { readonly DATA_DIR: string },
) {
  const { KAFKA_BROKERS: brokers, KAFKA_TLS: tls, KAFKA_CA_FILE: ca, DATA_DIR: dataDir } = config;
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username = '' } = config;
  const { KAFKA_SASL_PASSWORD: password = '' } = config;
  const sasl = mechanism && { mechanism, username, password };
  return { dataDir, brokers, security: { tls, ca, sasl } };
}
