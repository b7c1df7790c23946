extension Configuration {
    /// What is put into force before a provider runs; `nil` where that alone knows what it asks
    /// for.
    package var settingsWithoutProvider: NetworkSettings? {
        if let expected = NetworkSettings.expected(of: self) { return expected }
        guard !ownAddresses.isEmpty else { return nil }
        var settings = NetworkSettings()
        settings.addresses = ownAddresses
        return settings
    }
}
